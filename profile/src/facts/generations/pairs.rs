//! Which tables may hold the same things, and which of their columns correspond.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use catalog::{Column, Entry, KnownValues, TableId, TableKind, TypeClass};

use super::super::numbered::Numbered;
use super::super::values::{figures, stem};

/// A name, or a mark of what a column holds, that more tables have says nothing.
const COMMON: usize = 12;
/// Two tables that may hold the same things, by their places.
pub(in crate::facts) struct Pair {
    pub(in crate::facts) one: usize,
    pub(in crate::facts) two: usize,
    /// Their columns that correspond: of the first, of the second.
    pub(super) columns: Vec<(String, String)>,
    /// Columns by which they are known for it, where it isn't by their names: how many correspond, and of how many.
    pub(super) by_values: Option<(u64, u64)>,
}

impl Pair {
    pub(super) fn turned(&self) -> Vec<(String, String)> {
        self.columns.iter().map(|(one, two)| (two.clone(), one.clone())).collect()
    }
}

/// Pairs of tables that have most of their columns in common, by name or by what they hold.
pub(in crate::facts) fn pairs(entries: &[&Entry]) -> Vec<Pair> {
    let mut pairs = similar(entries);
    let known: HashSet<(usize, usize)> = pairs.iter().map(|pair| (pair.one, pair.two)).collect();
    pairs.extend(renamed(entries).into_iter().filter(|pair| !known.contains(&(pair.one, pair.two))));
    pairs
}

pub(super) fn is_usable(entry: &Entry) -> bool {
    entry.table.kind == TableKind::Table && entry.profile().is_some_and(|profile| profile.skipped.is_none())
}

/// How often two tables have something in common, of what few have.
fn together(by_mark: &BTreeMap<Mark<'_>, BTreeSet<usize>>) -> BTreeMap<(usize, usize), usize> {
    let mut together = BTreeMap::new();
    for places in by_mark.values().filter(|places| (2..=COMMON).contains(&places.len())) {
        let places: Vec<&usize> = places.iter().collect();
        for (position, one) in places.iter().enumerate() {
            for two in &places[position + 1..] {
                *together.entry((**one, **two)).or_default() += 1;
            }
        }
    }
    together
}

/// What tables have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Mark<'e> {
    /// A column's name, in small letters.
    Name(String),
    /// A key of another table, to which a column refers.
    Reference(&'e TableId, &'e str),
    /// What stands in front of numbers.
    Prefix(String),
    /// One of few values.
    Value(String),
}

/// Tables most of whose columns have the same names.
fn similar(entries: &[&Entry]) -> Vec<Pair> {
    /// Columns that must be shared, and the share of the smaller table's.
    const LEAST: usize = 3;
    let mut by_name: BTreeMap<Mark<'_>, BTreeSet<usize>> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| is_usable(entry)) {
        for column in &entry.table.columns {
            by_name.entry(Mark::Name(column.name.to_lowercase())).or_default().insert(place);
        }
    }
    let of_names = |(one, two): (usize, usize)| {
        let columns = shared_columns(entries[one], entries[two]);
        let smaller = entries[one].table.columns.len().min(entries[two].table.columns.len());
        let related = stem(&entries[one].table.id.name) == stem(&entries[two].table.id.name);
        let is_similar =
            columns.len() >= LEAST && columns.len() as f64 >= if related { 0.4 } else { 0.7 } * smaller as f64;
        is_similar.then_some(Pair { one, two, columns, by_values: None })
    };
    together(&by_name).into_keys().filter_map(of_names).collect()
}

/// The columns of `left` that `right` has by the same name and of the same kind.
fn shared_columns(left: &Entry, right: &Entry) -> Vec<(String, String)> {
    let shared = |column: &Column| {
        let other = right.table.columns.iter().find(|other| other.name.eq_ignore_ascii_case(&column.name))?;
        let are_alike =
            other.type_class == column.type_class || other.type_class.is_numeric() && column.type_class.is_numeric();
        are_alike.then(|| (column.name.clone(), other.name.clone()))
    };
    left.table.columns.iter().filter_map(shared).collect()
}

/// What a column holds, as far as it tells tables of the same things from others.
struct Holding<'e> {
    column: &'e str,
    refers_to: Option<(&'e TableId, &'e str)>,
    prefix: Option<String>,
    codes: HashSet<String>,
}

impl<'e> Holding<'e> {
    /// Codes from which it is told, and the letters that each must have at least.
    const LEAST_CODES: usize = 3;

    fn of(entry: &'e Entry, column: &'e Column) -> Option<Self> {
        let known = figures(entry, &column.name)?;
        let key = entry.table.foreign_keys.iter().find(|key| key.columns == [column.name.as_str()]);
        let refers_to = key.and_then(|key| Some((&key.ref_table, key.ref_columns.first()?.as_str())));
        let is_text = column.type_class == TypeClass::Text;
        let prefix = Numbered::of(known).map(|form| form.prefix).filter(|prefix| is_text && !prefix.is_empty());
        let codes = match &known.values {
            KnownValues::All(values) if is_text => values.iter().filter_map(|value| code(value)).collect(),
            _ => HashSet::new(),
        };
        let codes = if codes.len() >= Self::LEAST_CODES { codes } else { HashSet::new() };
        let tells = refers_to.is_some() || prefix.is_some() || !codes.is_empty();
        tells.then_some(Self { column: &column.name, refers_to, prefix, codes })
    }

    fn marks(&self) -> Vec<Mark<'e>> {
        let reference = self.refers_to.map(|(table, column)| Mark::Reference(table, column));
        let prefix = self.prefix.clone().map(Mark::Prefix);
        let codes = self.codes.iter().cloned().map(Mark::Value);
        reference.into_iter().chain(prefix).chain(codes).collect()
    }

    fn corresponds(&self, other: &Self) -> bool {
        /// Of the codes of the column that has fewer.
        const SHARED: f64 = 0.6;
        let shared = self.codes.intersection(&other.codes).count();
        let fewer = self.codes.len().min(other.codes.len());
        self.refers_to.is_some() && self.refers_to == other.refers_to
            || self.prefix.is_some() && self.prefix == other.prefix
            || shared >= Self::LEAST_CODES && shared as f64 >= SHARED * fewer as f64
    }
}

/// A value that stands for something, in whatever case: no number, and not one letter.
fn code(value: &str) -> Option<String> {
    let value = value.trim().to_lowercase();
    (value.chars().count() > 1 && value.contains(char::is_alphabetic)).then_some(value)
}

/// Tables of which most columns that tell anything hold the same.
fn renamed(entries: &[&Entry]) -> Vec<Pair> {
    /// Columns that must correspond, and the share of those that tell something in the table that has fewer.
    const LEAST: usize = 2;
    const SHARE: f64 = 0.5;
    const ROWS: u64 = 30;
    let has_rows = |entry: &Entry| entry.table.row_count.is_some_and(|count| count.value >= ROWS);
    let mut holdings: Vec<Vec<Holding<'_>>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let columns = entry.table.columns.iter().filter(|_| is_usable(entry) && has_rows(entry));
        holdings.push(columns.filter_map(|column| Holding::of(entry, column)).collect());
    }
    let mut by_mark: BTreeMap<Mark<'_>, BTreeSet<usize>> = BTreeMap::new();
    for (place, holdings) in holdings.iter().enumerate() {
        for mark in holdings.iter().flat_map(Holding::marks) {
            by_mark.entry(mark).or_default().insert(place);
        }
    }
    let refers = |from: &Entry, to: &Entry| from.table.foreign_keys.iter().any(|key| key.ref_table == to.table.id);
    let candidates = together(&by_mark).into_iter().filter(|(_, marks)| *marks >= LEAST);
    let of_values = |(one, two): (usize, usize)| {
        if refers(entries[one], entries[two]) || refers(entries[two], entries[one]) {
            return None;
        }
        let mut taken: HashSet<&str> = HashSet::new();
        let mut columns = Vec::new();
        for here in &holdings[one] {
            let mut free = holdings[two].iter().filter(|there| !taken.contains(there.column));
            if let Some(there) = free.find(|there| here.corresponds(there)) {
                taken.insert(there.column);
                columns.push((here.column.to_owned(), there.column.to_owned()));
            }
        }
        let fewer = holdings[one].len().min(holdings[two].len());
        let is_renamed = columns.len() >= LEAST && columns.len() as f64 >= SHARE * fewer as f64;
        let by_values = Some((columns.len() as u64, fewer as u64));
        is_renamed.then_some(Pair { one, two, columns, by_values })
    };
    candidates.filter_map(|(places, _)| of_values(places)).collect()
}
