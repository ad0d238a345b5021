//! Names of closed columns that were taken for something else.
//!
//! What a name means differs from engine to engine, in more ways than anybody has written down: which frame is looked at
//! first, what a column without a name is called, which letters are alike. So it isn't enough that no closed column was
//! found where a name stands. Wherever a name stands that a closed column has, it has to be that column, read where it
//! lies; and where a relation with closed columns could be meant as a whole row, the name has to be a column's.
//!
//! Invariant: names are compared more widely than any engine does.

use std::collections::{BTreeMap, HashMap};

use catalog::{Catalog, Dialect, TableId};
use sql::{Beside, Clause, ColumnRef, ColumnUse, Mention, ResolvedStatement, Span, TableUse, Through};
use unicode_normalization::UnicodeNormalization;

/// A name that may mean more than it was taken for.
pub(crate) struct Unaccounted<'r> {
    /// The word.
    pub(crate) mention: &'r Mention,
    /// The closed column that it may mean, or one of the relation whose row it may mean.
    pub(crate) column: ColumnRef,
}

/// The first such name of each column and relation, a few at most. `closed` says of a column of the catalog whether it may
/// not be read.
pub(crate) fn unaccounted<'r>(
    sql: &str,
    reading: &'r ResolvedStatement,
    dialect: &Dialect,
    catalog: &'r Catalog,
    closed: &mut dyn FnMut(&ColumnRef) -> bool,
) -> Vec<Unaccounted<'r>> {
    let mut known = Known::of(sql, reading, dialect, catalog);
    known.find_closed(closed);
    let mut found: Vec<Unaccounted<'r>> = Vec::new();
    if known.closed.is_empty() {
        return found;
    }
    for (place, mention) in reading.mentions.iter().enumerate() {
        let name = widely(&mention.name);
        let unaccounted = match known.closed.get(&name) {
            Some(columns) => (!known.is_column(place, &name)).then(|| columns[0].clone()),
            None => known.row_called(place, &name),
        };
        if let Some(column) = unaccounted.filter(|column| found.iter().all(|it| it.column != *column)) {
            found.push(Unaccounted { mention, column });
            if found.len() == MOST {
                break;
            }
        }
    }
    found
}

/// So many are told.
const MOST: usize = 5;

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
    reading: &'r ResolvedStatement,
    dialect: &'r Dialect,
    catalog: &'r Catalog,
    /// The relations of the catalog, by the names that they go by.
    relations: HashMap<String, Vec<&'r TableId>>,
    /// The closed columns of these relations, by their names.
    closed: BTreeMap<String, Vec<ColumnRef>>,
    /// Where names were taken for columns, by where they end.
    uses: HashMap<usize, Vec<&'r ColumnUse>>,
    /// Where relations are named, in the order of the text.
    named: Vec<Span>,
}

impl<'r> Known<'r> {
    fn of(sql: &'r str, reading: &'r ResolvedStatement, dialect: &'r Dialect, catalog: &'r Catalog) -> Self {
        let mut relations: HashMap<String, Vec<&TableId>> = HashMap::new();
        for used in &reading.tables {
            if let (Some(id), Some(called)) = (&used.table, called(used)) {
                let meant = relations.entry(widely(called)).or_default();
                if !meant.contains(&id) {
                    meant.push(id);
                }
            }
        }
        let mut uses: HashMap<usize, Vec<&ColumnUse>> = HashMap::new();
        let by_name = |used: &&ColumnUse| matches!(used.through, Through::Name | Through::LeftOut);
        for used in reading.columns.iter().filter(by_name) {
            if let Some(span) = used.span {
                uses.entry(span.end).or_default().push(used);
            }
        }
        let mut named: Vec<Span> = reading.tables.iter().filter_map(|used| used.span).collect();
        named.sort_unstable_by_key(|span| span.start);
        Self { sql, reading, dialect, catalog, relations, closed: BTreeMap::new(), uses, named }
    }

    fn find_closed(&mut self, closed: &mut dyn FnMut(&ColumnRef) -> bool) {
        let mut ids: Vec<&TableId> = self.relations.values().flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        for entry in ids.iter().filter_map(|id| self.catalog.entry(id)) {
            let columns = entry.table.columns.iter();
            for column in columns.map(|it| ColumnRef { table: entry.table.id.clone(), column: it.name.clone() }) {
                if closed(&column) {
                    self.closed.entry(widely(&column.column)).or_default().push(column);
                }
            }
        }
    }

    fn is_closed(&self, column: &ColumnRef) -> bool {
        self.closed.get(&widely(&column.column)).is_some_and(|columns| columns.contains(column))
    }

    /// Whether the word is the closed column of that name or another one for certain, or no value.
    fn is_column(&self, place: usize, name: &str) -> bool {
        let mention = &self.reading.mentions[place];
        if self.is_no_value(mention) {
            return true;
        }
        let mut resolved = self.resolved(mention, name).peekable();
        if resolved.peek().is_none() {
            return false;
        }
        let resolved: Vec<&ColumnUse> = resolved.collect();
        if resolved.iter().any(|used| self.is_closed(&used.column)) {
            return true;
        }
        // An open namesake, while a closed one is near: there must be no doubt about which of them is meant.
        match self.qualifier(place) {
            Some(qualifier) => {
                let meant = self.relations.get(&widely(qualifier)).map(Vec::as_slice).unwrap_or_default();
                let has_closed = |id: &&TableId| self.closed.get(name).into_iter().flatten().any(|it| it.table == **id);
                meant.len() == 1 || !meant.iter().any(has_closed)
            }
            None => resolved.iter().all(|used| used.clause != Clause::On),
        }
    }

    /// A closed column of a relation whose whole row the word may be.
    fn row_called(&self, place: usize, name: &str) -> Option<ColumnRef> {
        let meant = self.relations.get(name)?;
        let mention = &self.reading.mentions[place];
        let beside_dot = mention.before == Beside::Dot || mention.after == Beside::Dot;
        if beside_dot || mention.before == Beside::By || self.is_no_value(mention) {
            return None;
        }
        if self.resolved(mention, name).next().is_some() {
            return None;
        }
        let mut columns = self.closed.values().flatten();
        columns.find(|column| meant.contains(&&column.table)).cloned()
    }

    /// Whether it is no value: the name of a relation or of a function, a type, or what something is called from there on.
    fn is_no_value(&self, mention: &Mention) -> bool {
        let qualifies = mention.after == Beside::Dot && !self.dialect.syntax().fields_before_relations;
        qualifies
            || mention.after == Beside::Bracket
            || mention.after == Beside::Text
            || matches!(mention.before, Beside::As | Beside::Cast)
            || self.names_relation(mention)
    }

    /// Whether the word is a part of a relation's name, or stands right behind it: then it is what the relation is called.
    fn names_relation(&self, mention: &Mention) -> bool {
        let before = self.named.partition_point(|span| span.start <= mention.span.start);
        let Some(relation) = before.checked_sub(1).and_then(|last| self.named.get(last)) else { return false };
        let between = self.sql.get(relation.end..mention.span.start);
        mention.span.end <= relation.end
            || between.is_some_and(|text| text.trim().trim_matches(['"', '`', ']']).is_empty())
    }

    /// What the word was resolved to, as far as that is a column of its name.
    fn resolved<'k>(&'k self, mention: &Mention, name: &'k str) -> impl Iterator<Item = &'r ColumnUse> + 'k {
        let uses = self.uses.get(&mention.span.end).into_iter().flatten().copied();
        uses.filter(move |used| widely(&used.column.column) == name)
    }

    fn qualifier(&self, place: usize) -> Option<&'r str> {
        let mention = &self.reading.mentions[place];
        let before = self.reading.mentions.get(place.checked_sub(1)?)?;
        (mention.before == Beside::Dot).then_some(before.name.as_str())
    }
}

/// What a relation goes by.
fn called(used: &TableUse) -> Option<&str> {
    used.alias.as_deref().or_else(|| used.parts.last().map(String::as_str))
}
