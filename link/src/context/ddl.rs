//! One table as a model reads it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::iter;

use catalog::{Catalog, Column, Dialect, Entry, Fact, Table};

use super::hints::{Telling, column_hints, table_hints};
use crate::linked::{RankedTable, ValueHit};

/// Columns up to which a table is shown whole.
pub(super) const NARROW: usize = 20;
/// Columns that a wide table shows besides its keys.
const LINKED_COLUMNS: usize = 16;
/// The same where there is little room.
const FEW_COLUMNS: usize = 5;

/// What others usually do, of which so much is told beside the rest.
const HABITS: usize = 3;

/// How much of a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Keys and the few best columns, with the values that the question names.
    Keys,
    /// All columns of a narrow table, keys and linked columns of a wide one.
    Linked,
    /// The same, and what their names and types don't say.
    Hints,
    /// All columns.
    Columns,
    /// All columns, and what their names and types don't say.
    Whole,
}

impl Detail {
    /// What may be shown instead where there is more room, richest first: no column goes.
    pub(super) fn richer(self) -> &'static [Self] {
        match self {
            Self::Keys => &[Self::Hints, Self::Linked],
            Self::Linked => &[Self::Hints],
            Self::Columns => &[Self::Whole],
            Self::Hints | Self::Whole => &[],
        }
    }

    fn telling(self) -> Telling {
        match self {
            Self::Hints | Self::Whole => Telling::Brief,
            Self::Keys | Self::Linked | Self::Columns => Telling::Least,
        }
    }
}

/// Where tables are written for.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    catalog: &'c Catalog,
    pub(super) dialect: &'c Dialect,
    /// There are several sources.
    pub(super) says_source: bool,
}

impl<'c> Place<'c> {
    pub(super) fn of(catalog: &'c Catalog, table: &Table) -> Self {
        Self { catalog, dialect: catalog.dialect(&table.id.source), says_source: catalog.sources().len() > 1 }
    }

    /// What the table's rows say.
    fn facts(self, entry: &'c Entry) -> Vec<&'c Fact> {
        self.catalog.facts(entry).collect()
    }

    /// What those who read the table usually do.
    fn habits(self, entry: &Entry, telling: Telling) -> Vec<String> {
        let most = match telling {
            Telling::Least => 1,
            Telling::Brief => HABITS,
            Telling::All => usize::MAX,
        };
        let usage = self.catalog.usage_of(entry);
        usage.into_iter().flat_map(|usage| usage.habits().take(most).collect::<Vec<_>>()).collect()
    }

    /// The hints with the source in front, where there are several.
    fn hints(self, entry: &Entry, hints: Vec<String>) -> Vec<String> {
        let source = self.says_source.then(|| format!("source {}", entry.table.id.source));
        source.into_iter().chain(hints).collect()
    }
}

pub(super) fn ddl<'c>(
    entry: &'c Entry,
    ranked: &RankedTable,
    values: &[&ValueHit],
    place: Place<'c>,
    detail: Detail,
) -> String {
    let (table, dialect) = (&entry.table, place.dialect);
    let mut text = format!("CREATE TABLE {} (", on_one_line(&table.id.written(dialect)));
    let facts = place.facts(entry);
    let mut of_table = table_hints(entry, &facts, ranked.against(), dialect, detail.telling());
    of_table.extend(place.habits(entry, detail.telling()));
    push_hints(&mut text, &place.hints(entry, of_table));
    let shown = shown(table, ranked, values, detail);
    let count = shown.len();
    for column in shown {
        let hints = column_hints(entry, column, &facts, values, dialect, detail.telling());
        push_column(&mut text, entry, column, dialect, &hints);
    }
    push_end(&mut text, entry, dialect, count);
    text
}

fn push_hints(text: &mut String, hints: &[String]) {
    if !hints.is_empty() {
        let _ = write!(text, " -- {}", hints.join("; "));
    }
    text.push('\n');
}

/// What stands behind the columns, of which `shown` are there.
fn push_end(text: &mut String, entry: &Entry, dialect: &Dialect, shown: usize) {
    let table = &entry.table;
    if table.primary_key.len() > 1 {
        let key: Vec<String> = table.primary_key.iter().map(|name| dialect.identifier(name)).collect();
        let _ = writeln!(text, "  PRIMARY KEY ({}),", key.join(", "));
    }
    let left_out = table.columns.len() - shown;
    if left_out > 0 {
        let _ = writeln!(text, "  -- {left_out} more columns");
    }
    text.push_str(");\n");
}

fn push_column(text: &mut String, entry: &Entry, column: &Column, dialect: &Dialect, hints: &[String]) {
    let (name, data_type) = (dialect.identifier(&column.name), entry.shown_type(column));
    let _ = write!(text, "  {} {}", on_one_line(&name), on_one_line(data_type.trim()));
    if entry.table.primary_key.len() == 1 && entry.table.primary_key[0] == column.name {
        text.push_str(" PRIMARY KEY");
    }
    text.push(',');
    push_hints(text, hints);
}

/// A table as it is shown to an agent that asks for it: these columns, or all, with all that is known of them.
pub fn whole_table(catalog: &Catalog, entry: &Entry, columns: &[&Column]) -> String {
    let place = Place::of(catalog, &entry.table);
    let mut text = format!("CREATE TABLE {} (", on_one_line(&entry.table.id.written(place.dialect)));
    let facts = place.facts(entry);
    let mut of_table = table_hints(entry, &facts, iter::empty(), place.dialect, Telling::All);
    of_table.extend(place.habits(entry, Telling::All));
    push_hints(&mut text, &place.hints(entry, of_table));
    for column in columns {
        let hints = column_hints(entry, column, &facts, &[], place.dialect, Telling::All);
        push_column(&mut text, entry, column, place.dialect, &hints);
    }
    push_end(&mut text, entry, place.dialect, columns.len());
    text
}

/// A name as it is written, without an end of a line in it that would make the rest look like a line of ours.
pub(super) fn on_one_line(written: &str) -> Cow<'_, str> {
    let ends = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    if !written.contains(ends) {
        return Cow::Borrowed(written);
    }
    let shown = written.chars().map(|character| match ends(character) {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    });
    Cow::Owned(shown.collect())
}

/// The columns of a table that a context shows where there is room, in the table's order.
pub fn shown_columns<'t>(table: &'t Table, ranked: &RankedTable, values: &[ValueHit]) -> Vec<&'t Column> {
    let values: Vec<&ValueHit> = values.iter().filter(|hit| hit.table == table.id).collect();
    shown(table, ranked, &values, Detail::Hints)
}

pub(super) fn shown<'t>(
    table: &'t Table,
    ranked: &RankedTable,
    values: &[&ValueHit],
    detail: Detail,
) -> Vec<&'t Column> {
    let linked = match detail {
        Detail::Columns | Detail::Whole => return table.columns.iter().collect(),
        Detail::Linked | Detail::Hints if table.columns.len() <= NARROW => table.columns.len(),
        Detail::Linked | Detail::Hints => LINKED_COLUMNS,
        Detail::Keys => FEW_COLUMNS,
    };
    let best: Vec<&str> = ranked.columns.iter().take(linked).map(|column| column.name.as_str()).collect();
    let is_shown = |(position, column): &(usize, &Column)| {
        let is_key = table.primary_key.contains(&column.name)
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
        let is_valued = values.iter().any(|hit| hit.column == column.name);
        let is_early = ranked.columns.is_empty() && *position < linked;
        is_key || is_valued || is_early || best.contains(&column.name.as_str())
    };
    table.columns.iter().enumerate().filter(is_shown).map(|(_, column)| column).collect()
}
