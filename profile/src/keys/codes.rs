//! References that only values tell: codes that are another table's, as they are or written otherwise, whatever the columns are
//! called.
//!
//! Numbers occur in every key, so only texts take part, and of those the ones that aren't found everywhere: long enough, or all
//! of a short list. The codes of other tables are read once, of tables that are small; no column is compared with each other one.

use std::collections::{HashMap, HashSet};

use catalog::{ColumnProfile, Entry, KeyOrigin, KnownValues, TableKind, TypeClass};
use connect::{ReadRows, SampleRequest, Value};

use super::{Options, is_masked, profile_of, values_of};

/// Codes of a table that are read, tables of which they are, and characters of one.
const MOST_CODES: u64 = 5_000;
const MOST_TABLES: usize = 80;
const LONGEST: usize = 32;
/// Letters and digits that make a code one that isn't found everywhere.
const TELLING: usize = 4;
/// Values of a column that must be known before others are read, and that must be found.
const LEAST_SEEN: usize = 4;
const LEAST_TELLING: usize = 3;
const LEAST_FOUND: usize = 8;
/// Share of the values that must be found.
const LEAST_INCLUSION: f64 = 0.95;

/// The codes of all tables.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    targets: Vec<Codebook>,
    by_normal: HashMap<String, Vec<usize>>,
}

/// A column without a value twice, and its values.
#[derive(Debug)]
struct Codebook {
    table: usize,
    column: String,
    values: HashSet<String>,
    /// Whether the schema says that no value is there twice.
    is_declared: bool,
    /// One that is written so, for each bare form.
    written: HashMap<String, String>,
}

/// Where the values of a column are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Match {
    /// The table by its position, and the column.
    pub(crate) table: usize,
    pub(crate) column: String,
    /// How many of how many values were found.
    pub(crate) held: u64,
    pub(crate) looked_at: u64,
    /// How they are written otherwise; nothing where they are the same.
    pub(crate) differs: Vec<Difference>,
}

/// What is different about how a code is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Difference {
    Case,
    Blanks,
    Signs,
    Zeros,
    Prefix,
    LastSign,
}

impl Difference {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Case => "in small and capital letters otherwise",
            Self::Blanks => "with blanks around it",
            Self::Signs => "with other signs between",
            Self::Zeros => "with another number of zeros",
            Self::Prefix => "with other letters in front",
            Self::LastSign => "with one more sign at the end",
        }
    }
}

/// Letters and digits in capitals, without zeros behind the letters in front.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    let mut in_number = false;
    for sign in text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_uppercase) {
        let is_leading_zero = sign == '0' && !in_number;
        in_number = sign.is_ascii_digit() && !is_leading_zero;
        if !is_leading_zero {
            bare.push(sign);
        }
    }
    bare
}

fn is_telling(bare: &str) -> bool {
    bare.chars().count() >= TELLING
}

/// The bare forms that a code may have elsewhere, by what is then different besides.
fn forms(text: &str) -> [(Option<Difference>, String); 3] {
    let whole = bare(text);
    let number = whole.trim_start_matches(|sign: char| !sign.is_ascii_digit()).to_owned();
    let mut shorter = whole.clone();
    shorter.pop();
    [(None, whole), (Some(Difference::Prefix), number), (Some(Difference::LastSign), shorter)]
}

/// What is different between two ways to write a code of the same bare form.
fn differences(one: &str, other: &str) -> Vec<Difference> {
    let of = |text: &str, kept: fn(char) -> bool| text.trim().chars().filter(|sign| kept(*sign)).collect::<String>();
    let letters = |text: &str| of(text, char::is_alphabetic);
    let signs = |text: &str| of(text, |sign| !sign.is_alphanumeric());
    let whole = |text: &str| of(text, char::is_alphanumeric).to_uppercase();
    let mut differences = Vec::new();
    if one != other && one.trim() == other.trim() {
        differences.push(Difference::Blanks);
    }
    if letters(one) != letters(other) {
        differences.push(Difference::Case);
    }
    if signs(one) != signs(other) {
        differences.push(Difference::Signs);
    }
    if whole(one) != whole(other) {
        differences.push(Difference::Zeros);
    }
    differences
}

impl Codes {
    /// Reads the codes of the source's tables.
    pub(crate) async fn read(connector: &dyn ReadRows, entries: &[&Entry]) -> Self {
        let mut codes = Self::default();
        if !connector.capabilities().executes {
            return codes;
        }
        for (table, entry) in entries.iter().enumerate() {
            let counted = entry.profile().and_then(|profile| profile.row_count).or(entry.table.row_count);
            let rows = counted.map_or(u64::MAX, |count| count.value);
            if entry.table.kind != TableKind::Table || !(2..=MOST_CODES).contains(&rows) {
                continue;
            }
            for column in entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text) {
                let is_declared = entry.table.primary_key == [column.name.clone()]
                    || entry.table.indexes.iter().any(|index| index.unique && index.columns == [column.name.clone()]);
                let known = profile_of(entry, &column.name).filter(|known| known.masked.is_none());
                let Some(known) = known.filter(|known| is_declared || is_alone(known)) else { continue };
                let are_codes = known.average_length.is_none_or(|length| length <= LONGEST as f64)
                    && !known.values.as_slice().iter().any(|value| value.split_whitespace().count() > 2);
                if codes.targets.len() < MOST_TABLES && are_codes {
                    codes.add(connector, table, entry, &column.name, is_declared).await;
                }
            }
        }
        codes
    }

    async fn add(&mut self, connector: &dyn ReadRows, table: usize, entry: &Entry, column: &str, is_declared: bool) {
        let request = SampleRequest::FirstRows { rows: MOST_CODES as usize };
        let rows = connector.sample(&entry.table, &[column.to_owned()], &request).await;
        let log = |error: &connect::ConnectError| tracing::warn!(table = %entry.table.id, code = error.code(), "codes can't be read");
        let Ok(rows) = rows.inspect_err(log) else { return };
        let values: HashSet<String> = rows.rows.iter().flatten().filter_map(Value::as_text).collect();
        // Where most are numbers and others words, headings stand among them: a sheet that somebody has loaded.
        let numbers = values.iter().filter(|value| value.bytes().all(|byte| byte.is_ascii_digit())).count();
        if !is_declared && numbers * 2 > values.len() && numbers < values.len() {
            return;
        }
        let place = self.targets.len();
        let mut written = HashMap::new();
        for value in &values {
            let bare = bare(value);
            let places = self.by_normal.entry(bare.clone()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
            written.entry(bare).or_insert_with(|| value.clone());
        }
        // Codes that are the same but for how they are written are no key to be written otherwise.
        let written = if written.len() * 100 >= values.len() * 99 { written } else { HashMap::new() };
        self.targets.push(Codebook { table, column: column.to_owned(), values, is_declared, written });
    }

    /// Where the values of a column that nothing is known of to refer anywhere are found.
    pub(crate) async fn matching(
        &self,
        connector: &dyn ReadRows,
        entries: &[&Entry],
        place: usize,
        column: &str,
        options: &Options,
    ) -> Option<Match> {
        let entry = entries[place];
        let known = profile_of(entry, column).filter(|known| known.masked.is_none())?;
        let declared = entry.table.column(column)?;
        let is_number = declared.type_class == TypeClass::Integer;
        if super::is_of_days(known) {
            return None;
        }
        if self.targets.is_empty() || !(declared.type_class == TypeClass::Text || is_number) || is_masked(entry, column)
        {
            return None;
        }
        if let KnownValues::All(values) = &known.values {
            return if is_number { None } else { self.of_short_list(place, column, values) };
        }
        let seen = known.values.as_slice();
        let refers =
            |key: &catalog::ForeignKey| key.origin == KeyOrigin::Declared && key.columns == [column.to_owned()];
        if seen.len() < LEAST_SEEN || entry.table.foreign_keys.iter().any(refers) {
            return None;
        }
        let (target, form) = self.best_of(place, seen.iter().map(String::as_str), is_number)?;
        // What the profile holds are few; now many.
        let values = values_of(connector, entry, column, options).await?;
        let values: Vec<String> = values.iter().filter_map(Value::as_text).collect();
        let found = self.held(target, form, values.iter().map(String::as_str));
        if (found.len() as f64) < LEAST_INCLUSION * values.len() as f64 || found.len() < LEAST_FOUND {
            return None;
        }
        let mut differs: Vec<Difference> = form.into_iter().collect();
        let mut counts: HashMap<Difference, usize> = HashMap::new();
        found
            .iter()
            .flat_map(|(one, other)| differences(one, other))
            .for_each(|it| *counts.entry(it).or_default() += 1);
        if form.is_none() {
            differs.extend(counts.iter().filter(|(_, count)| **count * 10 >= found.len()).map(|(it, _)| *it));
        }
        differs.sort_unstable();
        let codes = &self.targets[target];
        let (held, looked_at) = (found.len() as u64, values.len() as u64);
        Some(Match { table: codes.table, column: codes.column.clone(), held, looked_at, differs })
    }

    /// The column that has most of these, in what form; `None` where several do, or none has nearly all.
    fn best_of<'v>(
        &self,
        place: usize,
        values: impl Iterator<Item = &'v str>,
        is_number: bool,
    ) -> Option<(usize, Option<Difference>)> {
        let mut held: HashMap<(Option<Difference>, usize), usize> = HashMap::new();
        let values: Vec<&str> = values.filter(|value| is_telling(&bare(value))).collect();
        if values.len() < LEAST_TELLING {
            return None;
        }
        for value in &values {
            for (form, bare) in
                forms(value).into_iter().filter(|(form, bare)| is_telling(bare) && !(is_number && form.is_some()))
            {
                for target in self.by_normal.get(&bare).into_iter().flatten() {
                    *held.entry((form, *target)).or_default() += 1;
                }
            }
        }
        // A table may have its codes in two ways.
        let is_own = |target: usize| self.targets[target].table == place;
        let mut found: Vec<((Option<Difference>, usize), usize)> = held
            .into_iter()
            .filter(|((form, target), count)| {
                let can_differ = form.is_none() || !self.targets[*target].written.is_empty();
                *count as f64 >= LEAST_INCLUSION * values.len() as f64 && !is_own(*target) && can_differ
            })
            .collect();
        // The plainest form; of several columns one that has them as they are, a declared key, the smaller one.
        let same = |target: usize| values.iter().filter(|value| self.targets[target].values.contains(**value)).count();
        found.sort_by_key(|((form, target), count)| {
            let codes = &self.targets[*target];
            let rest = (!codes.is_declared, codes.values.len(), *target);
            (form.is_some(), usize::MAX - count, usize::MAX - same(*target), rest)
        });
        found.first().map(|((form, target), _)| (*target, *form))
    }

    /// The values that a column has in that form, each as it is written there.
    fn held<'v, 's>(
        &'s self,
        target: usize,
        form: Option<Difference>,
        values: impl Iterator<Item = &'v str>,
    ) -> Vec<(&'v str, &'s str)> {
        let codes = &self.targets[target];
        let written = |value: &str| {
            if let Some(same) = codes.values.get(value).filter(|_| form.is_none()) {
                return Some(same.as_str());
            }
            let bare = forms(value).into_iter().find(|(it, _)| *it == form).map(|(_, bare)| bare)?;
            codes.written.get(&bare).map(String::as_str)
        };
        values.filter_map(|value| Some((value, written(value)?))).collect()
    }

    /// A short list of which all are codes of one table, and most of that one's are in it.
    fn of_short_list(&self, place: usize, column: &str, values: &[String]) -> Option<Match> {
        const LEAST: usize = 3;
        const LETTERS: usize = 9;
        const SHARE: f64 = 0.3;
        let letters: usize =
            values.iter().map(|value| value.chars().filter(|sign| sign.is_alphanumeric()).count()).sum();
        if values.len() < LEAST || letters < LETTERS || values.iter().any(|value| value.parse::<f64>().is_ok()) {
            return None;
        }
        let has_all = |codes: &&Codebook| {
            let is_own = codes.table == place && codes.column == column;
            !is_own && codes.values.len() >= values.len() && values.iter().all(|value| codes.values.contains(value))
        };
        let mut found: Vec<&Codebook> = self.targets.iter().filter(has_all).collect();
        found.sort_by_key(|codes| codes.values.len());
        let codes = found.first()?;
        let is_clear = found.get(1).is_none_or(|next| next.values.len() > codes.values.len());
        let share = values.len() as f64 / codes.values.len() as f64;
        let count = values.len() as u64;
        (is_clear && share >= SHARE).then(|| Match {
            table: codes.table,
            column: codes.column.clone(),
            held: count,
            looked_at: count,
            differs: Vec::new(),
        })
    }
}

/// Whether no value is there twice, as far as the profile tells.
fn is_alone(known: &ColumnProfile) -> bool {
    known.null_fraction.is_none_or(|share| share < 0.01) && known.distinct_ratio.is_some_and(|ratio| ratio > 0.995)
}

#[cfg(test)]
mod tests {
    use super::{Difference, bare, differences};

    #[test]
    fn codes_are_the_same_however_they_are_written() {
        for (one, other, expected) in [
            ("KD-0042", "kd0042", &[Difference::Case, Difference::Signs][..]),
            ("AB-0042", "ab42", &[Difference::Case, Difference::Signs, Difference::Zeros]),
            ("KD-0042", "KD-42", &[Difference::Zeros]),
            ("KD42", "kd42", &[Difference::Case]),
            ("KD42", "KD42 ", &[Difference::Blanks]),
            ("KD42", "KD42", &[]),
        ] {
            assert_eq!(bare(one), bare(other), "{one} {other}");
            assert_eq!(differences(one, other), expected, "{one} {other}");
        }
        assert_ne!(bare("KD-1042"), bare("KD-142"));
        assert_eq!((bare("0007"), bare("A0B07")), ("7".to_owned(), "AB7".to_owned()));
    }
}
