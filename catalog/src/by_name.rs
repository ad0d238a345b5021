//! Tables by the names that people and agents write.

use crate::entry::Entry;
use crate::model::structure::{Column, TableId};
use crate::nearest::{is_slip, likeness};
use crate::view::Catalog;

/// Tables that are suggested for a name.
const SUGGESTED: usize = 5;
/// Below this a name is not worth suggesting.
const ALIKE: f64 = 0.5;

/// Why a name stands for no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotATable {
    /// No table is called so; these are called much like it, the nearest first.
    Unknown(Vec<TableId>),
    /// It may be one of these.
    OneOf(Vec<TableId>),
}

impl Catalog {
    /// The table that `name` means, in quotes of any engine or none: where several are called so, the one that is spelt
    /// exactly so, else the one that the engine would take. `source` narrows it to one source.
    pub fn table_named(&self, name: &str, source: Option<&str>) -> Result<&Entry, NotATable> {
        let plain: String = name.trim().chars().filter(|character| !['"', '`', '[', ']'].contains(character)).collect();
        let mut found = self.find(name, source);
        if found.is_empty() {
            found = self.find(&plain, source);
        }
        let exact: Vec<&Entry> = found.iter().copied().filter(|entry| entry.table.id.local() == plain).collect();
        match (found.as_slice(), exact.as_slice(), self.first_in_search_path(&found)) {
            ([only], _, _) | (_, [only], _) => Ok(only),
            (_, _, Some(first)) => Ok(first),
            ([], _, _) => Err(NotATable::Unknown(self.called_like(&plain, source))),
            (several, _, _) => {
                Err(NotATable::OneOf(several.iter().take(SUGGESTED).map(|entry| entry.table.id.clone()).collect()))
            }
        }
    }

    /// What a word that isn't known was probably meant to be: a table, a `table.column`, or a value of an open column, in which
    /// it stands but for a slip of the fingers.
    pub fn word_like(&self, word: &str, source: &str) -> Option<String> {
        let has = |name: &str| words::in_identifier(name).iter().any(|part| is_slip(word, part)) || is_slip(word, name);
        let entries = || self.tables_of(source);
        let table = entries().find(|entry| has(&entry.table.id.name)).map(|entry| entry.table.id.local());
        table.or_else(|| {
            let columns = || entries().flat_map(|entry| entry.table.columns.iter().map(move |column| (entry, column)));
            let name = |(entry, column): (&Entry, &Column)| format!("{}.{}", entry.table.id.local(), column.name);
            columns().find(|(_, column)| has(&column.name)).map(name).or_else(|| {
                let value = |(entry, column): (&Entry, &Column)| {
                    entry.facts(column).values.into_iter().find(|value| is_slip(word, value)).map(str::to_owned)
                };
                columns().find_map(value)
            })
        })
    }

    /// The table that the engine would take, where they are of one source.
    fn first_in_search_path<'a>(&self, found: &[&'a Entry]) -> Option<&'a Entry> {
        let source = &found.first()?.table.id.source;
        if found.iter().any(|entry| entry.table.id.source != *source) {
            return None;
        }
        let path = &self.source(source)?.search_path;
        let place = |entry: &Entry| path.iter().position(|schema| entry.table.id.schema.as_ref() == Some(schema));
        let first = found.iter().filter_map(|entry| Some((place(entry)?, *entry))).min_by_key(|(place, _)| *place);
        first.map(|(_, entry)| entry)
    }

    fn called_like(&self, name: &str, source: Option<&str>) -> Vec<TableId> {
        let ids = self.entries().iter().map(|entry| &entry.table.id);
        let in_scope = ids.filter(|id| source.is_none_or(|source| id.source == source));
        let mut alike: Vec<(f64, &TableId)> = in_scope
            .map(|id| (likeness(name, &id.name).max(likeness(name, &id.local())), id))
            .filter(|(alike, _)| *alike >= ALIKE)
            .collect();
        alike.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(right.1)));
        alike.into_iter().take(SUGGESTED).map(|(_, id)| id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use dialect::Dialect;

    use super::NotATable;
    use crate::entry::Entry;

    use crate::model::structure::{Source, Table, TableId};
    use crate::view::Catalog;

    fn catalog() -> Catalog {
        let mut source = Source::new("erp", Dialect::Postgres, "erp");
        source.search_path = vec!["sales".into()];
        let table = |schema: &str, name: &str| {
            Entry::bare(Table::new(TableId { schema: Some(schema.into()), ..TableId::new("erp", name) }))
        };
        let entries = vec![
            table("sales", "orders"),
            table("old", "orders"),
            table("old", "Invoices"),
            table("new", "invoices"),
            table("new", "customers"),
        ];
        Catalog::new(vec![source], entries, Vec::new(), 1)
    }

    #[test]
    fn a_name_is_the_exact_one_or_the_one_the_engine_takes() {
        let catalog = catalog();
        let named = |name: &str| catalog.table_named(name, None).map(|entry| entry.table.id.local());
        assert_eq!(named("orders").as_deref(), Ok("sales.orders"));
        assert_eq!(named("\"old\".\"orders\"").as_deref(), Ok("old.orders"));
        assert_eq!(named("Customers").as_deref(), Ok("new.customers"));
        assert_eq!(named("old.invoices").as_deref(), Ok("old.Invoices"));
        assert!(matches!(named("invoices"), Err(NotATable::OneOf(several)) if several.len() == 2));
    }

    #[test]
    fn a_slip_leads_to_what_was_meant() {
        let catalog = catalog();
        let Err(NotATable::Unknown(near)) = catalog.table_named("custmer", None) else { panic!("there is none") };
        assert_eq!(near.first().map(TableId::local).as_deref(), Some("new.customers"));
        assert!(matches!(catalog.table_named("zzz", None), Err(NotATable::Unknown(near)) if near.is_empty()));
    }
}
