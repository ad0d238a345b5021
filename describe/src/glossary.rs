//! Business terms as people write them down, held against the tables that they are about.

use catalog::nearest::nearest_names;
use catalog::{Catalog, Entry, Exposure, NotATable, TableId, Term, TermOrigin, TermState, UsedColumn};
use jiff::Timestamp;
use sql::{CatalogSchema, FragmentFault};

use crate::error::DescribeError;

/// Characters of a name.
const LONGEST_NAME: usize = 80;
/// Bytes of a definition, an expression or a condition.
const LONGEST_TEXT: usize = 2_000;
/// Columns that are suggested for one that isn't there.
const SUGGESTED: usize = 2;
/// Names that a term has.
const MOST_NAMES: usize = 12;

/// A term as somebody wrote it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenTerm {
    /// [`Term::name`].
    pub name: String,
    /// [`Term::synonyms`].
    pub synonyms: Vec<String>,
    /// [`Term::definition`].
    pub definition: Option<String>,
    /// The table by a name that it goes by; where none is given, the one that the expression or the condition names.
    pub table: Option<String>,
    /// [`Term::expression`].
    pub expression: Option<String>,
    /// [`Term::condition`].
    pub condition: Option<String>,
}

impl WrittenTerm {
    /// What somebody would have to write to get this term.
    pub fn of(term: &Term) -> Self {
        Self {
            name: term.name.clone(),
            synonyms: term.synonyms.clone(),
            definition: term.definition.clone(),
            table: term.table.as_ref().map(TableId::local),
            expression: term.expression.clone(),
            condition: term.condition.clone(),
        }
    }

    /// The term of a source that comes of it, which counts from now on because `by` says so.
    ///
    /// # Errors
    /// Where it says nothing, or its expression or condition can't be computed from columns that may be shown.
    pub fn approved(self, source: &str, by: &str, catalog: &Catalog) -> Result<Term, DescribeError> {
        let state = TermState::Approved { by: by.to_owned(), at: Some(Timestamp::now()) };
        self.into_term(source, TermOrigin::Person, state, catalog)
    }

    /// The same, said by another than a person, or only proposed.
    ///
    /// # Errors
    /// As [`WrittenTerm::approved`].
    pub fn into_term(
        self,
        source: &str,
        origin: TermOrigin,
        state: TermState,
        catalog: &Catalog,
    ) -> Result<Term, DescribeError> {
        let written = self.tidied();
        let refused = |reason: String| DescribeError::Term { name: written.name.clone(), reason };
        written.check_texts().map_err(refused)?;
        if matches!(state, TermState::Approved { .. }) {
            written.check_names(source, catalog).map_err(refused)?;
        }
        let entry = written.entry(source, catalog).map_err(refused)?;
        let columns = match entry {
            Some(entry) => written.columns(entry, catalog).map_err(refused)?,
            None if written.expression.is_some() || written.condition.is_some() => {
                return Err(refused("say which table it is computed of".to_owned()));
            }
            None => Vec::new(),
        };
        Ok(Term {
            source: source.to_owned(),
            table: entry.map(|entry| entry.table.id.clone()),
            name: written.name,
            synonyms: written.synonyms,
            definition: written.definition,
            expression: written.expression,
            condition: written.condition,
            columns,
            origin,
            evidence: None,
            state,
        })
    }

    /// On one line each, without what is empty.
    fn tidied(self) -> Self {
        let line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let filled = |text: Option<String>| text.map(line).filter(|text| !text.is_empty());
        let sql = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let name = line(self.name);
        let mut synonyms: Vec<String> = Vec::new();
        for synonym in self.synonyms.into_iter().map(line).filter(|it| !it.is_empty()) {
            let is_known = |known: &String| Term::key_of(known) == Term::key_of(&synonym);
            if !is_known(&name) && !synonyms.iter().any(is_known) {
                synonyms.push(synonym);
            }
        }
        Self {
            name,
            synonyms,
            definition: filled(self.definition),
            table: filled(self.table),
            expression: sql(self.expression),
            condition: sql(self.condition),
        }
    }

    fn check_texts(&self) -> Result<(), String> {
        for name in std::iter::once(&self.name).chain(&self.synonyms) {
            if name.chars().count() > LONGEST_NAME {
                return Err(format!("a name has at most {LONGEST_NAME} characters"));
            }
            if words::in_text(name).is_empty() {
                return Err(format!("`{name}` holds no word that a question could name"));
            }
        }
        if self.synonyms.len() >= MOST_NAMES {
            return Err(format!("it has more than {MOST_NAMES} names"));
        }
        let texts = [&self.definition, &self.expression, &self.condition];
        if texts.iter().all(|text| text.is_none()) && self.table.is_none() {
            return Err("say what it means: in words, or by an expression or a condition over a table".to_owned());
        }
        let sql = [&self.expression, &self.condition].into_iter().flatten();
        let whole = |text: &&String| text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("select "));
        if sql.clone().any(|text| text.trim_end().ends_with(';')) || sql.clone().any(|text| whole(&text)) {
            return Err(
                "leave out SELECT, FROM and the semicolon: the table is `--table`, or the one that columns name"
                    .to_owned(),
            );
        }
        if texts.into_iter().flatten().any(|text| text.len() > LONGEST_TEXT) {
            return Err(format!("a text is longer than {LONGEST_TEXT} bytes"));
        }
        Ok(())
    }

    /// The table that it is about, if it is about one.
    fn entry<'c>(&self, source: &str, catalog: &'c Catalog) -> Result<Option<&'c Entry>, String> {
        let names = |tables: &[TableId]| tables.iter().map(TableId::local).collect::<Vec<_>>().join(" or ");
        if let Some(name) = &self.table {
            return match catalog.table_named(name, Some(source)) {
                Ok(entry) => Ok(Some(entry)),
                Err(NotATable::OneOf(tables)) => Err(format!("`{name}` may be {}", names(&tables))),
                Err(NotATable::Unknown(alike)) if alike.is_empty() => Err(format!("there is no table `{name}`")),
                Err(NotATable::Unknown(alike)) => {
                    Err(format!("there is no table `{name}`; did you mean {}?", names(&alike)))
                }
            };
        }
        let parts = [&self.expression, &self.condition];
        let mut named: Vec<&Entry> = Vec::new();
        for part in parts.into_iter().flatten() {
            let qualifiers =
                part.split(|it: char| !(it.is_alphanumeric() || it == '_' || it == '.')).filter_map(|word| {
                    let (qualifier, _) = word.rsplit_once('.')?;
                    match catalog.find(qualifier, Some(source)).as_slice() {
                        [only] => Some(*only),
                        _ => None,
                    }
                });
            for entry in qualifiers {
                if named.iter().all(|known| known.table.id != entry.table.id) {
                    named.push(entry);
                }
            }
        }
        // What is named in a query of its own comes later than what it is compared with.
        Ok(named.first().copied())
    }

    /// What to do about a fault, where that can be told.
    fn explained(&self, fault: FragmentFault, entry: &Entry, catalog: &Catalog) -> String {
        let source = Some(entry.table.id.source.as_str());
        match &fault {
            FragmentFault::UnknownTable { name } if !catalog.find(name, source).is_empty() => format!(
                "it is computed of `{}` alone: what `{name}` says goes into a query of its own, `(SELECT … FROM {name} …)`",
                entry.table.id.local()
            ),
            FragmentFault::UnknownColumn { name } => {
                let names = entry.table.columns.iter().map(|column| column.name.as_str());
                let near = nearest_names(name, names, SUGGESTED);
                let near =
                    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
                format!("`{}` has no column {name}{near}", entry.table.id.local())
            }
            fault => fault.in_words(),
        }
    }

    /// Names of it that another term has.
    fn check_names(&self, source: &str, catalog: &Catalog) -> Result<(), String> {
        let plain = |name: &str| words::in_text(name).concat();
        let key = Term::key_of(&self.name);
        let others = catalog.all_terms().iter().filter(|term| term.source == source && term.key() != key);
        for other in others.filter(|term| term.is_approved()) {
            for name in std::iter::once(&self.name).chain(&self.synonyms) {
                if other.names().any(|known| plain(known) == plain(name)) {
                    return Err(format!("`{name}` is what `{}` is called already", other.name));
                }
            }
        }
        Ok(())
    }

    fn columns(&self, entry: &Entry, catalog: &Catalog) -> Result<Vec<UsedColumn>, String> {
        let source = &entry.table.id.source;
        let schema = CatalogSchema::new(catalog, source);
        let (expression, condition) = (self.expression.as_deref(), self.condition.as_deref());
        let columns =
            sql::columns_of_fragments(expression, condition, &entry.table.id, catalog.dialect(source), &schema)
                .map_err(|fault| self.explained(fault, entry, catalog))?;
        let hidden = columns.iter().find(|column| {
            catalog.entry(&column.table).is_none_or(|entry| *entry.exposure(&column.column) != Exposure::Open)
        });
        if let Some(hidden) = hidden {
            return Err(format!("{}.{} may not be shown", hidden.table.local(), hidden.column));
        }
        Ok(columns.into_iter().map(|column| UsedColumn { table: column.table, column: column.column }).collect())
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect};

    use super::WrittenTerm;

    fn shop() -> Catalog {
        let orders = testkit::table("s", "orders", &["id INTEGER", "total_cents INTEGER", "status TEXT"]);
        let customers = testkit::table("s", "customers", &["id INTEGER", "email TEXT"]);
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![orders, customers]);
        let catalog = testkit::looked_at(&catalog);
        testkit::with_masked(catalog, "customers", "email")
    }

    fn written(expression: &str, table: Option<&str>) -> WrittenTerm {
        WrittenTerm {
            name: " Net   revenue".to_owned(),
            synonyms: vec!["turnover".to_owned(), "net revenue".to_owned(), "Turnover".to_owned()],
            definition: Some("what is left\n of it".to_owned()),
            table: table.map(str::to_owned),
            expression: Some(expression.to_owned()),
            condition: None,
        }
    }

    #[test]
    fn what_is_written_down_is_held_against_its_table() {
        let catalog = shop();
        let approved = |written: WrittenTerm| written.approved("s", "ana", &catalog);
        for expression in ["sum(total_cents) / 100.0", "sum(orders.total_cents) / 100.0"] {
            let table = (!expression.contains("orders.")).then_some("orders");
            let term = approved(written(expression, table)).unwrap();
            assert_eq!((term.name.as_str(), term.synonyms.as_slice()), ("Net revenue", &["turnover".to_owned()][..]));
            assert_eq!(term.definition.as_deref(), Some("what is left of it"));
            assert_eq!(term.table.unwrap().name, "orders");
            assert_eq!(term.columns.len(), 1);
        }
        for (expression, table, reason) in [
            ("sum(total_cents)", None, "say which table"),
            ("sum(total_cents)", Some("orderz"), "there is no table `orderz`"),
            ("sum(total)", Some("orders"), "`orders` has no column total"),
            ("count(DISTINCT email)", Some("customers"), "customers.email may not be shown"),
        ] {
            let error = approved(written(expression, table)).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        let empty = WrittenTerm { name: "golden".to_owned(), ..WrittenTerm::default() };
        assert!(approved(empty).unwrap_err().to_string().contains("say what it means"));
        let nameless = WrittenTerm { name: "—".to_owned(), ..written("1", Some("orders")) };
        assert!(approved(nameless).unwrap_err().to_string().contains("no word"));
    }
}
