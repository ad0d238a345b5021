//! Names of closed columns that were taken for something else.
//!
//! What a name means differs from engine to engine, in more ways than anybody has written down: which frame is looked at
//! first, what a column without a name is called, which letters are alike. So it isn't enough that no closed column was
//! found where a name stands. Wherever a name stands that a closed column has, it has to be that column, read where it
//! lies; and where a relation with closed columns could be meant as a whole row, the name has to be a column's.
//!
//! Invariant: names are compared more widely than any engine does.

use catalog::{Dialect, TableId};
use sql::{Beside, Clause, ColumnRef, ColumnUse, Mention, Reading, Span, TableUse, Through};
use unicode_normalization::UnicodeNormalization;

/// A name that may mean more than it was taken for.
pub(crate) struct Unaccounted<'r> {
    /// The word.
    pub(crate) mention: &'r Mention,
    /// The closed column that it may mean, or one of the relation whose row it may mean.
    pub(crate) column: ColumnRef,
}

/// The first such name of each column and relation. `closed` says of a column of the catalog whether it may not be read.
pub(crate) fn unaccounted<'r>(
    sql: &str,
    reading: &'r Reading,
    dialect: &Dialect,
    catalog: &catalog::Catalog,
    closed: &mut dyn FnMut(&ColumnRef) -> bool,
) -> Vec<Unaccounted<'r>> {
    let known = Known::of(sql, reading, dialect);
    let mut found: Vec<Unaccounted<'r>> = Vec::new();
    for mention in &reading.mentions {
        let name = widely(&mention.name);
        let column = known.columns_called(&name, catalog).into_iter().find(|column| closed(column));
        let unaccounted = match column {
            Some(column) => (!known.is_column(mention, &name, closed, catalog)).then_some(column),
            None => known.row_called(mention, &name, catalog, closed),
        };
        if let Some(column) = unaccounted.filter(|column| found.iter().all(|it| it.column != *column)) {
            found.push(Unaccounted { mention, column });
        }
    }
    found
}

/// How names are compared: without regard to case and accents, blanks around them, and what stands behind the length at
/// which PostgreSQL cuts them.
fn widely(name: &str) -> String {
    let cut: String = name
        .trim()
        .chars()
        .scan(0, |bytes, it| {
            *bytes += it.len_utf8();
            (*bytes <= LONGEST).then_some(it)
        })
        .collect();
    let plain = cut.nfkd().filter(|it| !unicode_normalization::char::is_combining_mark(*it));
    plain.flat_map(char::to_lowercase).collect()
}

/// PostgreSQL's `NAMEDATALEN`, less one: <https://www.postgresql.org/docs/current/limits.html>.
const LONGEST: usize = 63;

struct Known<'r> {
    sql: &'r str,
    reading: &'r Reading,
    dialect: &'r Dialect,
    /// Relations of the catalog, with the names that they go by.
    relations: Vec<(&'r TableId, String)>,
}

impl<'r> Known<'r> {
    fn of(sql: &'r str, reading: &'r Reading, dialect: &'r Dialect) -> Self {
        let named = |used: &'r TableUse| Some((used.table.as_ref()?, widely(called(used)?)));
        Self { sql, reading, dialect, relations: reading.tables.iter().filter_map(named).collect() }
    }

    fn columns_called(&self, name: &str, catalog: &catalog::Catalog) -> Vec<ColumnRef> {
        let mut columns: Vec<ColumnRef> = Vec::new();
        for (id, _) in &self.relations {
            let Some(entry) = catalog.entry(id) else { continue };
            let called = entry.table.columns.iter().filter(|column| widely(&column.name) == name);
            for column in called.map(|column| ColumnRef { table: (*id).clone(), column: column.name.clone() }) {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
        columns
    }

    /// Whether the word is the column of that name for certain, or no column.
    fn is_column(
        &self,
        mention: &Mention,
        name: &str,
        closed: &mut dyn FnMut(&ColumnRef) -> bool,
        catalog: &catalog::Catalog,
    ) -> bool {
        if self.is_no_value(mention) {
            return true;
        }
        let resolved = self.resolved(mention, name);
        if resolved.is_empty() {
            return false;
        }
        if resolved.iter().any(|used| closed(&used.column)) {
            return true;
        }
        // An open namesake, while a closed one is near: there must be no doubt about which of them is meant.
        match self.qualifier(mention) {
            Some(qualifier) => {
                let qualifier = widely(qualifier);
                let mut meant = self.relations.iter().filter(|(_, called)| *called == qualifier).map(|(id, _)| *id);
                let first = meant.next();
                first.is_some() && meant.all(|id| Some(id) == first)
                    || self
                        .relations
                        .iter()
                        .all(|(id, called)| *called != qualifier || !has_closed(id, name, catalog, closed))
            }
            None => resolved.iter().all(|used| used.clause != Clause::On),
        }
    }

    /// A relation whose whole row the word may be.
    fn row_called(
        &self,
        mention: &Mention,
        name: &str,
        catalog: &catalog::Catalog,
        closed: &mut dyn FnMut(&ColumnRef) -> bool,
    ) -> Option<ColumnRef> {
        let (id, _) = self.relations.iter().find(|(_, called)| called == name)?;
        let beside_dot = mention.before == Beside::Dot || mention.after == Beside::Dot;
        if beside_dot || mention.before == Beside::By || self.is_no_value(mention) {
            return None;
        }
        if !self.resolved(mention, name).is_empty() {
            return None;
        }
        let entry = catalog.entry(id)?;
        let columns = entry.table.columns.iter();
        let mut columns = columns.map(|column| ColumnRef { table: (*id).clone(), column: column.name.clone() });
        columns.find(|column| closed(column))
    }

    /// Whether it is no value: the name of a relation or of a function, a type, or what something is called from there on.
    fn is_no_value(&self, mention: &Mention) -> bool {
        let names_relation = |used: &TableUse| {
            let span = used.span.unwrap_or(Span { start: 0, end: 0 });
            span.start <= mention.span.start && mention.span.end <= span.end || self.is_alias(span, mention.span)
        };
        // ClickHouse reads parts of a column behind a dot, before it looks for relations.
        let qualifies = mention.after == Beside::Dot && *self.dialect != Dialect::Clickhouse;
        qualifies
            || mention.after == Beside::Bracket
            || mention.after == Beside::Text
            || matches!(mention.before, Beside::As | Beside::Cast)
            || self.reading.tables.iter().any(names_relation)
    }

    /// Whether the word stands right behind a relation's name.
    fn is_alias(&self, relation: Span, word: Span) -> bool {
        let between = self.sql.get(relation.end..word.start);
        relation.end > relation.start
            && between.is_some_and(|text| text.trim().trim_matches(['"', '`', ']']).is_empty())
    }

    /// What the word was resolved to, as far as that is a column of its name.
    fn resolved(&self, mention: &Mention, name: &str) -> Vec<&'r ColumnUse> {
        let is_it = |used: &&ColumnUse| {
            used.through == Through::Name
                && used.span.is_some_and(|span| span.end == mention.span.end)
                && widely(&used.column.column) == name
        };
        self.reading.columns.iter().filter(is_it).collect()
    }

    fn qualifier(&self, mention: &Mention) -> Option<&'r str> {
        if mention.before != Beside::Dot {
            return None;
        }
        let before = self.reading.mentions.iter().rev().find(|it| it.span.end <= mention.span.start)?;
        Some(before.name.as_str())
    }
}

fn has_closed(
    id: &TableId,
    name: &str,
    catalog: &catalog::Catalog,
    closed: &mut dyn FnMut(&ColumnRef) -> bool,
) -> bool {
    let Some(entry) = catalog.entry(id) else { return true };
    let mut called = entry.table.columns.iter().filter(|column| widely(&column.name) == name);
    called.any(|column| closed(&ColumnRef { table: id.clone(), column: column.name.clone() }))
}

/// What a relation goes by.
fn called(used: &TableUse) -> Option<&str> {
    used.alias.as_deref().or_else(|| used.parts.last().map(String::as_str))
}
