//! One table as a model reads it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::iter;

use catalog::{Catalog, Column, Dialect, Entry, Fact, FactJudgement, FactKind, Table, TableId, TypeClass};

use super::hints::{Telling, column_hints, is_aside, table_hints};
use crate::linked::{RankedColumn, RankedTable, ValueHit};

/// Columns up to which a table is shown whole.
pub(super) const NARROW: usize = 20;
/// Columns that a wide table shows besides its keys.
const LINKED_COLUMNS: usize = 16;
/// The same where there is little room.
const FEW_COLUMNS: usize = 5;
/// The score from which on a column may be meant by the question: below it, of what is told of columns hardly anything bore on what
/// the answers to the shop's questions read.
const MEANT: f32 = 0.3;
/// Facts of a table's columns that are told beside a question.
const MOST_FACTS: usize = 4;
/// Columns of a table that is told in a line, and of these, those that the question may mean.
const BRIEF_COLUMNS: usize = 8;
const BRIEF_BEST: usize = 3;
/// Columns that are named where they aren't shown.
const NAMED: usize = 24;
/// The last word of the names of columns that a row is called by, the best first.
const CALLED_BY: [&str; 6] = ["name", "title", "label", "subject", "caption", "code"];

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
            Self::Keys | Self::Linked => Telling::Warnings,
            Self::Columns => Telling::Least,
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
    /// The tables that the question may need, or `None` where a table is asked for by itself.
    needed: Option<&'c HashSet<&'c TableId>>,
    /// Whether it is told what the table's rows say.
    tells_facts: bool,
}

impl<'c> Place<'c> {
    pub(super) fn of(catalog: &'c Catalog, table: &Table) -> Self {
        let (dialect, says_source) = (catalog.dialect(&table.id.source), catalog.sources().len() > 1);
        Self { catalog, dialect, says_source, needed: None, tells_facts: true }
    }

    /// Where these tables are what the question may need, and facts are told of this one or, as of those that hardly anybody
    /// comes to use, not before it is used.
    pub(super) fn among(self, needed: &'c HashSet<&'c TableId>, tells_facts: bool) -> Self {
        Self { needed: Some(needed), tells_facts, ..self }
    }

    /// What the table's rows say. How two columns differ counts where both may be needed.
    fn facts(self, entry: &'c Entry) -> Vec<&'c Fact> {
        let bears = |fact: &&Fact| match &fact.kind {
            FactKind::Homonym { other, .. } | FactKind::CodesOtherwise { other, .. } => {
                self.needed.is_none_or(|needed| needed.contains(other))
            }
            _ => true,
        };
        let is_told = |fact: &&Fact| self.tells_facts || entry.judgement(fact) == Some(FactJudgement::Confirmed);
        self.catalog.facts(entry).filter(is_told).filter(bears).collect()
    }

    /// What those who read the table usually do.
    fn habits(self, entry: &Entry, telling: Telling) -> Vec<String> {
        let most = match telling {
            Telling::Least | Telling::Warnings => 1,
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
    let mut of_table =
        table_hints(entry, &facts, ranked.against().map(|reason| reason.text.as_str()), dialect, detail.telling());
    of_table.extend(place.habits(entry, detail.telling()));
    push_hints(&mut text, &place.hints(entry, of_table));
    let shown = shown(table, ranked, values, detail);
    let best = ranked.columns.iter().take(FEW_COLUMNS);
    let is_meant = |name: &str| {
        let fits = |column: &RankedColumn| column.name == name && column.score >= MEANT;
        values.iter().any(|hit| hit.column == name) || best.clone().any(fits)
    };
    let is_about = |fact: &&Fact| fact.column().is_none_or(|column| is_meant(column) || !is_aside(entry, column, fact));
    let facts: Vec<&Fact> = nearest(facts.into_iter().filter(is_about).collect(), ranked);
    for column in &shown {
        let hints = column_hints(entry, column, &facts, values, dialect, detail.telling());
        push_column(&mut text, entry, column, dialect, &hints);
    }
    push_end(&mut text, entry, dialect, &left_out(table, &shown, dialect));
    text
}

/// The facts of the table, and those of the columns that the question means most likely, in their order.
fn nearest<'f>(facts: Vec<&'f Fact>, ranked: &RankedTable) -> Vec<&'f Fact> {
    let score = |fact: &Fact| {
        let column = ranked.columns.iter().find(|column| Some(column.name.as_str()) == fact.column());
        column.map_or(0.0, |column| column.score)
    };
    let mut of_columns: Vec<&Fact> = facts.iter().copied().filter(|fact| fact.column().is_some()).collect();
    of_columns.sort_by(|one, two| score(two).total_cmp(&score(one)));
    let left_out = of_columns.split_off(of_columns.len().min(MOST_FACTS));
    facts.into_iter().filter(|fact| !left_out.iter().any(|left_out| std::ptr::eq(*left_out, *fact))).collect()
}

fn push_hints(text: &mut String, hints: &[String]) {
    if !hints.is_empty() {
        let _ = write!(text, " -- {}", hints.join("; "));
    }
    text.push('\n');
}

/// The columns that aren't shown, by their names: who needs one of them sees that it is there.
fn left_out(table: &Table, shown: &[&Column], dialect: &Dialect) -> String {
    let is_left_out = |column: &&Column| !shown.iter().any(|shown| shown.name == column.name);
    let left_out: Vec<&Column> = table.columns.iter().filter(is_left_out).collect();
    let named = left_out.iter().take(NAMED).map(|column| dialect.identifier(&column.name));
    let named = named.map(|name| on_one_line(&name).into_owned()).collect::<Vec<_>>().join(", ");
    match left_out.len() {
        0 => String::new(),
        few if few <= NAMED => format!("also: {named}"),
        many => format!("also: {named} and {} more", many - NAMED),
    }
}

/// What stands behind the columns, with what is said of those that aren't there.
fn push_end(text: &mut String, entry: &Entry, dialect: &Dialect, left_out: &str) {
    let table = &entry.table;
    if table.primary_key.len() > 1 {
        let key: Vec<String> = table.primary_key.iter().map(|name| dialect.identifier(name)).collect();
        let _ = writeln!(text, "  PRIMARY KEY ({}),", key.join(", "));
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "  -- {left_out}");
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
    let left_out = match entry.table.columns.len() - columns.len() {
        0 => String::new(),
        count => format!("{count} more columns"),
    };
    push_end(&mut text, entry, place.dialect, &left_out);
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

/// The column that a row is called by.
fn called_by(table: &Table) -> Option<&Column> {
    let last_word = |column: &Column| words::in_identifier(&column.name).pop();
    let own = || table.columns.iter().filter(|column| column.type_class == TypeClass::Text);
    CALLED_BY.iter().find_map(|word| own().find(|column| last_word(column).as_deref() == Some(*word)))
}

/// A table in a line: its key, what its rows are called by, what the question may mean, and what leads to tables that are `shown`.
pub(super) fn brief(entry: &Entry, ranked: &RankedTable, place: Place<'_>, shown: &[TableId]) -> String {
    let (table, dialect) = (&entry.table, place.dialect);
    let called_by = called_by(table).map(|column| column.name.as_str());
    let best: Vec<&str> = ranked.columns.iter().take(BRIEF_BEST).map(|column| column.name.as_str()).collect();
    let leads = |column: &Column| {
        let mut keys = table.foreign_keys.iter().filter(|key| shown.contains(&key.ref_table));
        keys.any(|key| key.columns.contains(&column.name))
    };
    let is_told = |column: &&Column| {
        let name = column.name.as_str();
        table.primary_key.contains(&column.name) || called_by == Some(name) || best.contains(&name) || leads(column)
    };
    let told: Vec<&Column> = table.columns.iter().filter(is_told).take(BRIEF_COLUMNS).collect();
    let names: Vec<String> = told.iter().map(|column| dialect.identifier(&column.name)).collect();
    let names = names.iter().map(|name| on_one_line(name)).collect::<Vec<_>>().join(", ");
    let source = if place.says_source { format!("{}.", table.id.source) } else { String::new() };
    let rest = match table.columns.len() - told.len() {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    format!("-- perhaps: {source}{} ({names}{rest})\n", on_one_line(&table.id.written(dialect)))
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
    // Hardly a question but asks for what rows are called.
    let called_by = called_by(table);
    let best: Vec<&str> = ranked.columns.iter().take(linked).map(|column| column.name.as_str()).collect();
    let is_shown = |(position, column): &(usize, &Column)| {
        let is_key = table.primary_key.contains(&column.name)
            || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
        let is_valued = values.iter().any(|hit| hit.column == column.name);
        let is_early = ranked.columns.is_empty() && *position < linked;
        let is_called_by = called_by.is_some_and(|called_by| called_by.name == column.name);
        is_key || is_called_by || is_valued || is_early || best.contains(&column.name.as_str())
    };
    table.columns.iter().enumerate().filter(is_shown).map(|(_, column)| column).collect()
}
