//! References that only values tell: codes that are another table's, as they are or written otherwise, whatever the columns are
//! called.
//!
//! Numbers occur in every key, so only codes take part that aren't found everywhere: long enough, or all of a short list, and
//! numbers of which there are far fewer than lie between the first and the last. The codes of other tables are read once, of tables
//! that are small; no column is compared with each other one.

use std::collections::{HashMap, HashSet};

use catalog::{Column, ColumnProfile, Entry, KeyOrigin, KnownValues, TableKind, TypeClass};
use connect::{ReadRows, SampleRequest, Value};

use super::names::names_a_key;
use super::{Options, is_masked, profile_of, values_of};

/// Codes of a table that are read, those of all tables together, columns in which they are, and characters of one.
const MOST_CODES: u64 = 20_000;
const MOST_READ: u64 = 200_000;
const MOST_COLUMNS: usize = 80;
const LONGEST: usize = 32;
/// Letters and digits that make a code one that isn't found everywhere.
const TELLING: usize = 4;
/// Values of a column that must be known before others are read, and that must be found.
const LEAST_SEEN: usize = 4;
const LEAST_TELLING: usize = 3;
const LEAST_FOUND: usize = 8;
/// Share of the values that must be found.
const LEAST_INCLUSION: f64 = 0.95;
/// The same, and how many values, where numbers are found among few: a fifth of them or less would be by chance.
const LEAST_OF_NUMBERS: f64 = 0.8;
const LEAST_NUMBERS: usize = 20;
/// Share of the numbers from the first to the last that are codes where they are few.
const FEW: f64 = 0.2;
/// Share of the rows that may have no code.
const MOST_EMPTY: f64 = 0.9;

/// The codes of all tables.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    targets: Vec<Codebook>,
    /// Where codes of a bare form are, and what was left out to get it.
    by_bare: HashMap<String, Vec<(usize, LeftOut)>>,
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
    written: HashMap<(LeftOut, String), String>,
    /// What may be left out of its codes so that they are codes still, and whether they are numbers then, of which few are there.
    forms: HashMap<LeftOut, bool>,
    /// Whether they are numbers of which most are there.
    are_many: bool,
}

/// What is left out of a code: the letters in front, the last sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct LeftOut {
    prefix: bool,
    last: bool,
}

impl LeftOut {
    const NOTHING: Self = Self { prefix: false, last: false };
    const ALL: [Self; 4] = [
        Self::NOTHING,
        Self { prefix: true, last: false },
        Self { prefix: false, last: true },
        Self { prefix: true, last: true },
    ];

    /// What is left of a bare code; `None` where nothing is left out.
    fn of(self, bare: &str) -> Option<String> {
        let start =
            if self.prefix { bare.find(|sign: char| sign.is_ascii_digit()).filter(|start| *start > 0)? } else { 0 };
        let last = if self.last { bare.chars().next_back()?.len_utf8() } else { 0 };
        bare.get(start..bare.len() - last).map(|rest| match self.prefix {
            true => rest.trim_start_matches('0').to_owned(),
            false => rest.to_owned(),
        })
    }
}

/// How two columns have a code: what is left out here and there so that both are the same.
type Form = (LeftOut, LeftOut);

/// What is different where a code is written in that form.
fn differences_of((here, there): Form) -> impl Iterator<Item = Difference> {
    let found = [
        (here.prefix, Difference::Prefix),
        (here.last, Difference::LastSign),
        (there.prefix, Difference::WithoutPrefix),
        (there.last, Difference::WithoutLastSign),
    ];
    found.into_iter().filter_map(|(is_so, difference)| is_so.then_some(difference))
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
    WithoutPrefix,
    WithoutLastSign,
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
            Self::WithoutPrefix => "without the letters in front",
            Self::WithoutLastSign => "without the last sign",
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
    let signs = bare.chars().count();
    // Of three letters there are as many as of four digits.
    signs >= TELLING || signs + 1 == TELLING && bare.chars().all(char::is_alphabetic)
}

/// The bare forms that a code has, by what is left out of it.
fn forms(text: &str) -> impl Iterator<Item = (LeftOut, String)> {
    let whole = bare(text);
    LeftOut::ALL.into_iter().filter_map(move |left_out| Some((left_out, left_out.of(&whole)?)))
}

/// Whether these are numbers of which few of those between the first and the last are there; `None` where they are no numbers.
fn are_few<'c>(codes: impl Iterator<Item = &'c str>) -> Option<bool> {
    let (mut first, mut last, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for code in codes {
        let number = code.parse::<f64>().ok().filter(|_| code.bytes().all(|byte| byte.is_ascii_digit()))?;
        (first, last, count) = (number.min(first), number.max(last), count + 1.0);
    }
    Some(count <= FEW * (last - first + 1.0))
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
        let mut found: Vec<(u64, usize, &str, bool)> = Vec::new();
        for (table, entry) in entries.iter().enumerate() {
            let counted = entry.profile().and_then(|profile| profile.row_count).or(entry.table.row_count);
            let rows = counted.map_or(u64::MAX, |count| count.value);
            if entry.table.kind == TableKind::Table && (2..=MOST_CODES).contains(&rows) {
                let columns = entry.table.columns.iter().enumerate();
                found.extend(columns.filter_map(|(place, column)| {
                    Some((rows, table, column.name.as_str(), may_be_code(entry, column, place == 0)?))
                }));
            }
        }
        // Lists are more often of codes than what happens.
        found.sort_by_key(|(rows, ..)| *rows);
        let mut read = 0;
        for (rows, table, column, is_declared) in found.into_iter().take(MOST_COLUMNS) {
            read += rows;
            if read > MOST_READ {
                break;
            }
            codes.add(connector, table, entries[table], column, is_declared).await;
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
        let is_number = entry.table.column(column).is_some_and(|column| column.type_class == TypeClass::Integer);
        let mut written: HashMap<LeftOut, HashMap<String, String>> = HashMap::new();
        for value in &values {
            for (left_out, bare) in forms(value).filter(|(left_out, _)| !is_number || *left_out == LeftOut::NOTHING) {
                written.entry(left_out).or_default().entry(bare).or_insert_with(|| value.clone());
            }
        }
        // Codes that are the same but for how they are written are no key to be written otherwise, and numbers of which most are
        // there say nothing.
        let is_key = |(left_out, written): &(LeftOut, HashMap<String, String>)| {
            let is_whole = *left_out == LeftOut::NOTHING && !is_number;
            let are_few = || are_few(written.keys().map(String::as_str)) != Some(false);
            written.len() * 100 >= values.len() * 99 && (is_whole || are_few())
        };
        let written: Vec<(LeftOut, HashMap<String, String>)> = written.into_iter().filter(is_key).collect();
        if is_number && written.is_empty() {
            return;
        }
        let place = self.targets.len();
        for value in &values {
            let places = self.by_bare.entry(bare(value)).or_default();
            if !places.contains(&(place, LeftOut::NOTHING)) {
                places.push((place, LeftOut::NOTHING));
            }
        }
        let are_many = are_few(values.iter().map(String::as_str)) == Some(false);
        let mut codes = Codebook {
            table,
            column: column.to_owned(),
            values,
            is_declared,
            are_many,
            written: HashMap::new(),
            forms: HashMap::new(),
        };
        for (left_out, written) in written {
            let are_numbers = are_few(written.keys().map(String::as_str)).is_some();
            codes.forms.insert(left_out, are_numbers && (is_number || left_out != LeftOut::NOTHING));
            for (bare, value) in written {
                if left_out != LeftOut::NOTHING && is_telling(&bare) {
                    self.by_bare.entry(bare.clone()).or_default().push((place, left_out));
                }
                codes.written.insert((left_out, bare), value);
            }
        }
        self.targets.push(codes);
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
        let (target, form) = self.best_of(place, seen, known)?;
        // What the profile holds are few; now many.
        let values = values_of(connector, entry, column, options).await?;
        let values: Vec<String> = values.iter().filter_map(Value::as_text).collect();
        let found = self.held(target, form, values.iter().map(String::as_str));
        let (share, least) = match self.is_of_numbers(target, form) {
            true => (LEAST_OF_NUMBERS, LEAST_NUMBERS),
            false => (LEAST_INCLUSION, LEAST_FOUND),
        };
        if (found.len() as f64) < share * values.len() as f64 || found.len() < least {
            return None;
        }
        // Each without its last sign is another code still.
        let there: HashSet<&str> = found.iter().map(|(_, there)| *there).collect();
        if form.0.last && (there.len() as f64) < LEAST_INCLUSION * found.len() as f64 {
            return None;
        }
        let mut differs: Vec<Difference> = differences_of(form).collect();
        let mut counts: HashMap<Difference, usize> = HashMap::new();
        found
            .iter()
            .flat_map(|(one, other)| differences(one, other))
            .for_each(|it| *counts.entry(it).or_default() += 1);
        if differs.is_empty() {
            differs.extend(counts.iter().filter(|(_, count)| **count * 10 >= found.len()).map(|(it, _)| *it));
        }
        differs.sort_unstable();
        let codes = &self.targets[target];
        let (held, looked_at) = (found.len() as u64, values.len() as u64);
        Some(Match { table: codes.table, column: codes.column.clone(), held, looked_at, differs })
    }

    /// Whether codes in that form are found as numbers among few.
    fn is_of_numbers(&self, target: usize, (_, there): Form) -> bool {
        self.targets[target].forms.get(&there).copied().unwrap_or_default()
    }

    /// The column that has most of these, in what form; `None` where several do, or none has nearly all.
    fn best_of(&self, place: usize, values: &[String], known: &ColumnProfile) -> Option<(usize, Form)> {
        /// Of a column of the same table rows refer to where others refer to none.
        const NONE: f64 = 0.3;
        let values: Vec<&String> = values.iter().filter(|value| is_telling(&bare(value))).collect();
        if values.len() < LEAST_TELLING {
            return None;
        }
        let mut held: HashMap<(Form, usize), usize> = HashMap::new();
        for value in &values {
            for (here, bare) in forms(value).filter(|(_, bare)| is_telling(bare)) {
                for (target, there) in self.by_bare.get(&bare).into_iter().flatten() {
                    // What is left out on both sides is two codes.
                    if here == LeftOut::NOTHING || *there == LeftOut::NOTHING && !(here.prefix && here.last) {
                        *held.entry(((here, *there), *target)).or_default() += 1;
                    }
                }
            }
        }
        // A table may have its codes in two ways.
        let is_own = |target: usize| self.targets[target].table == place;
        let refers_within = known.null_fraction.is_some_and(|share| share >= NONE);
        let whole = (LeftOut::NOTHING, LeftOut::NOTHING);
        let mut found: Vec<((Form, usize), usize)> = held
            .into_iter()
            .filter(|((form, target), count)| {
                let (here, there) = *form;
                let codes = &self.targets[*target];
                let by_chance = here != LeftOut::NOTHING && codes.are_many;
                let can_differ = *form == whole || codes.forms.contains_key(&there) && !by_chance;
                let share = if self.is_of_numbers(*target, *form) { 0.6 } else { LEAST_INCLUSION };
                let may_refer =
                    !is_own(*target) || *form == whole && refers_within && self.targets[*target].column != known.column;
                *count as f64 >= share * values.len() as f64 && may_refer && can_differ
            })
            .collect();
        // The plainest form; of several columns one that has them as they are, a declared key, the smaller one.
        let same = |target: usize| values.iter().filter(|value| self.targets[target].values.contains(**value)).count();
        found.sort_by_key(|((form, target), count)| {
            let codes = &self.targets[*target];
            let rest = (!codes.is_declared, codes.values.len(), *target);
            (differences_of(*form).count(), usize::MAX - count, usize::MAX - same(*target), rest)
        });
        found.first().map(|((form, target), _)| (*target, *form))
    }

    /// The values that a column has in that form, each as it is written there.
    fn held<'v, 's>(
        &'s self,
        target: usize,
        (here, there): Form,
        values: impl Iterator<Item = &'v str>,
    ) -> Vec<(&'v str, &'s str)> {
        let codes = &self.targets[target];
        let written = |value: &str| {
            let is_same = here == LeftOut::NOTHING && there == LeftOut::NOTHING;
            if let Some(same) = codes.values.get(value).filter(|_| is_same) {
                return Some(same.as_str());
            }
            codes.written.get(&(there, here.of(&bare(value))?)).map(String::as_str)
        };
        values.filter_map(|value| Some((value, written(value)?))).collect()
    }

    /// A short list of which all are codes of one table, and most of that one's are in it.
    fn of_short_list(&self, place: usize, column: &str, values: &[String]) -> Option<Match> {
        const LEAST: usize = 3;
        const LETTERS: usize = 9;
        const SHARE: f64 = 0.3;
        const SHARE_OF_INITIALS: f64 = 0.05;
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
        // Somebody's letters: few people of many do some work.
        let are_initials = values.len() > LEAST
            && values
                .iter()
                .all(|value| (3..=4).contains(&value.len()) && value.bytes().all(|letter| letter.is_ascii_uppercase()));
        let least = if are_initials { SHARE_OF_INITIALS } else { SHARE };
        let is_clear = found.get(1).is_none_or(|next| next.values.len() > codes.values.len());
        let share = values.len() as f64 / codes.values.len() as f64;
        let count = values.len() as u64;
        (is_clear && share >= least).then(|| Match {
            table: codes.table,
            column: codes.column.clone(),
            held: count,
            looked_at: count,
            differs: Vec::new(),
        })
    }
}

/// Whether a column may be one of codes, and whether the schema says that none is there twice.
fn may_be_code(entry: &Entry, column: &Column, is_first: bool) -> Option<bool> {
    let is_declared = entry.table.primary_key == [column.name.as_str()]
        || entry.table.indexes.iter().any(|index| index.unique && index.columns == [column.name.as_str()]);
    let known = profile_of(entry, &column.name).filter(|known| known.masked.is_none())?;
    if !is_declared && !is_alone(known) {
        return None;
    }
    let is_code = match column.type_class {
        TypeClass::Text => {
            known.average_length.is_none_or(|length| length <= LONGEST as f64)
                && !known.values.as_slice().iter().any(|value| value.split_whitespace().count() > 2)
        }
        // Other numbers of which each row has its own measure something.
        TypeClass::Integer => {
            let is_key = is_declared || is_first || names_a_key(&column.name);
            is_key && are_few_of(known) && !super::is_of_days(known)
        }
        _ => false,
    };
    is_code.then_some(is_declared)
}

/// Whether few of the numbers from the smallest to the largest are there.
fn are_few_of(known: &ColumnProfile) -> bool {
    let number = |text: &Option<String>| text.as_deref()?.parse::<f64>().ok();
    let (first, last) = (number(&known.min), number(&known.max));
    let count = known.distinct_count.map(|count| count as f64);
    first.zip(last).zip(count).is_some_and(|((first, last), count)| count <= FEW * (last - first + 1.0))
}

/// Whether no value is there twice, as far as the profile tells: some rows may have none, as what came another way has no number
/// of it.
fn is_alone(known: &ColumnProfile) -> bool {
    known.null_fraction.is_none_or(|share| share < MOST_EMPTY)
        && known.distinct_ratio.is_some_and(|ratio| ratio > 0.995)
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
