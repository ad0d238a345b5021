//! What the engine has answered: which closed columns are among those that it reads.

use std::collections::HashSet;

use catalog::{Catalog, Entry, Source, TableKind};
use connect::{EngineRead, ReadRelation, ReadWhat};
use dialect::Account;
use sql::{ColumnRef, ResolvedStatement, TableUseKind};

use super::Closed;
use crate::functions::has_word;

/// What the engine has told of a statement.
pub(super) struct Told<'t> {
    pub(super) catalog: &'t Catalog,
    pub(super) source: &'t Source,
    pub(super) reads: &'t [ReadRelation],
    pub(super) reading: &'t ResolvedStatement,
}

impl Told<'_> {
    fn account(&self) -> &'static Account {
        self.source.dialect.account()
    }

    /// A closed column among what the engine reads.
    pub(super) fn closed(&self, told: &[EngineRead], closed: &mut Closed<'_>) -> Option<ColumnRef> {
        let views = self.views();
        // Where nothing of a view is closed, what it reads was judged with it; but not where another one shows the same.
        let (shut, open): (Vec<&Entry>, Vec<&Entry>) = views.iter().partition(|view| closed.any_of(view));
        let read_by = |views: &[&Entry]| -> HashSet<ColumnRef> {
            let readings = views.iter().filter_map(|view| sql::read_view(&view.table, self.catalog));
            readings.flat_map(|view| view.columns).collect()
        };
        let (of_shut, of_open) = (read_by(&shut), read_by(&open));
        let is_told_apart = self.account().tells_views_apart;
        let behind: HashSet<&ColumnRef> = of_open.difference(&of_shut).filter(|_| !is_told_apart).collect();
        // Of a view that nobody can follow, nobody knows what the tables behind it are called: what is read then has to be
        // what the statement was judged to read.
        let not_followed = shut.iter().find(|view| {
            is_told_apart && !sql::read_view(&view.table, self.catalog).is_some_and(|view| view.is_followed)
        });
        for read in told {
            if let Some(view) = not_followed
                && read.through.is_none()
                && !self.was_judged(read)
            {
                return closed.of(view).into_iter().next();
            }
            let through = read.through.as_deref().filter(|view| !self.is_a_cte(view));
            let called = views.iter().filter(|view| {
                through.is_some_and(|name| view.table.id.name.eq_ignore_ascii_case(name))
                    && !sql::read_view(&view.table, self.catalog).is_some_and(|view| view.has_unsure_texts)
            });
            // What a view reads was judged when the view was: what its text says, for a name in it can mean more than that
            // where the view stands.
            let by_itself = read_by(&self.with_merged(called.copied().collect()));
            for entry in self.meant(read) {
                let is_behind = self.reads.iter().any(|it| it.id == entry.table.id && !it.named);
                let is_the_views =
                    |column: &ColumnRef| by_itself.contains(column) || is_behind && behind.contains(column);
                let mut columns = closed.of(entry).into_iter();
                let is_anything = is_told_apart && self.is_of_nobody(read);
                let found =
                    columns.find(|column| (is_anything || names(&read.what, &column.column)) && !is_the_views(column));
                if found.is_some() {
                    return found;
                }
                // What is read of a table behind a view may be read as a column of the view.
                if is_told_apart && through.is_none() {
                    let shown = shut.iter().flat_map(|view| closed.of(view)).collect::<Vec<_>>();
                    let is_shown_as = |column: &&ColumnRef| {
                        let mut origins = closed.masks.origins(column).into_iter();
                        origins.any(|origin| origin.table == entry.table.id && names(&read.what, &origin.column))
                    };
                    if let Some(column) = shown.iter().find(is_shown_as) {
                        return Some(column.clone());
                    }
                }
            }
        }
        None
    }

    /// Whether the statement was judged to read a column of that name, of a relation of that name.
    fn was_judged(&self, read: &EngineRead) -> bool {
        let ReadWhat::Column(column) = &read.what else { return false };
        let is_alike = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        self.reading.columns.iter().any(|used| {
            let relation = read.relation.as_ref();
            is_alike(&used.column.column, column)
                && relation.is_none_or(|relation| is_alike(&used.column.table.name, relation))
        })
    }

    /// Whether a relation is named that the catalog doesn't have, as one of another database, which a view reads.
    fn is_of_nobody(&self, read: &EngineRead) -> bool {
        let Some(name) = &read.relation else { return false };
        let is_meant = |entry: &Entry| entry.table.id.name.to_lowercase() == name.to_lowercase();
        read.through.is_none() && !self.catalog.tables_of(&self.source.name).any(is_meant)
    }

    /// These views, and where their queries are told by themselves those behind them, which are merged into them.
    fn with_merged<'e>(&'e self, mut views: Vec<&'e Entry>) -> Vec<&'e Entry> {
        let mut next = if self.account().tells_views_apart { 0 } else { views.len() };
        while let Some(view) = views.get(next) {
            next += 1;
            let behind = sql::read_view(&view.table, self.catalog).map(|view| view.tables).unwrap_or_default();
            for entry in behind.iter().filter_map(|id| self.catalog.entry(id)) {
                if entry.table.kind == TableKind::View && views.iter().all(|view| view.table.id != entry.table.id) {
                    views.push(entry);
                }
            }
        }
        views
    }

    /// A relation that isn't in the catalog.
    pub(super) fn unknown<'r>(&self, told: &'r [EngineRead]) -> Option<&'r EngineRead> {
        let is_known = |read: &EngineRead| {
            self.catalog.tables_of(&self.source.name).any(|entry| {
                let id = &entry.table.id;
                Some(&id.name) == read.relation.as_ref() && (read.schema.is_none() || id.schema == read.schema)
            })
        };
        told.iter().filter(|read| read.relation.is_some()).find(|read| !is_known(read))
    }

    /// Whether a common table expression of the statement is called so.
    fn is_a_cte(&self, name: &str) -> bool {
        let ctes = self.reading.tables.iter().filter(|used| used.kind == TableUseKind::Cte);
        ctes.filter_map(|used| used.parts.last()).any(|part| part.eq_ignore_ascii_case(name))
    }

    /// The views that the statement reads, by itself or through others.
    fn views(&self) -> Vec<&Entry> {
        let entries = self.reads.iter().filter_map(|read| self.catalog.entry(&read.id));
        entries.filter(|entry| entry.table.kind == TableKind::View).collect()
    }

    /// The relations of the catalog that can be meant: those of that name, or all that the statement reads where there is
    /// none, as of a partition.
    fn meant(&self, read: &EngineRead) -> Vec<&Entry> {
        let is_meant = |entry: &&Entry| {
            let id = &entry.table.id;
            let same = |one: &Option<String>, other: &Option<String>| match (one, other) {
                (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                _ => true,
            };
            read.relation.as_ref().is_some_and(|name| name.to_lowercase() == id.name.to_lowercase())
                && same(&read.schema, &id.schema)
        };
        // Their columns have everyday names.
        let of_functions = self.account().functions_as_tables;
        let is_made = read.relation.as_ref().is_some_and(|name| of_functions.contains(&name.as_str()));
        let named: Vec<&Entry> = self.catalog.tables_of(&self.source.name).filter(is_meant).collect();
        if named.is_empty() && is_made {
            return Vec::new();
        }
        // Their partitions aren't in the catalog; common table expressions give on what was read in them.
        let is_a_cte = read.relation.as_deref().is_some_and(|name| self.is_a_cte(name));
        // What a table is called as well may be that table.
        let is_an_alias = self
            .reading
            .tables
            .iter()
            .filter_map(|used| used.alias.as_ref())
            .any(|alias| read.relation.as_ref().is_some_and(|name| alias.to_lowercase() == name.to_lowercase()));
        if named.is_empty() && is_a_cte && !is_an_alias && self.account().names_common_tables {
            return Vec::new();
        }
        match named.is_empty() {
            true => self.reads.iter().filter_map(|read| self.catalog.entry(&read.id)).collect(),
            false => named,
        }
    }
}

/// Whether that column is among what is read.
fn names(what: &ReadWhat, column: &str) -> bool {
    let column = column.to_lowercase();
    match what {
        ReadWhat::Row => true,
        ReadWhat::Column(name) => name.to_lowercase() == column,
        ReadWhat::Within(text) => has_word(&text.to_lowercase(), &column),
    }
}

#[cfg(test)]
mod tests {
    use connect::ReadWhat;

    use super::names;

    #[test]
    fn conditions_name_columns_as_words() {
        let within = |text: &str| ReadWhat::Within(text.to_owned());
        assert!(names(&within("Email='x'"), "email") && names(&within("(\"e mail\" IS NULL)"), "e mail"));
        assert!(!names(&within("email_sent=true"), "email"));
    }
}
