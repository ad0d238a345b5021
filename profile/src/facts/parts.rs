//! Rows that stand for others of their table: sums of them, corrections of them, the same once more by another way.

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::{Fact, FactKind};

use super::sheet::{Sheet, SheetColumn};
use super::switches::VERSIONS;
use super::words_of;

/// Columns by which rows are grouped, alone and two at a time.
const MOST_GROUPINGS: usize = 6;
/// Words of a column of periods.
const PERIODS: [&str; 14] = [
    "year", "yr", "month", "mon", "period", "per", "jahr", "monat", "quarter", "week", "woche", "day", "season", "term",
];

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts = total_rows(sheet);
    let is_told =
        |told: &[Fact], fact: &Fact| told.iter().any(|known| known.columns().first() == fact.columns().first());
    let named: Vec<Fact> = named_totals(sheet).into_iter().filter(|fact| !is_told(&facts, fact)).collect();
    facts.extend(named);
    facts.extend(parents(sheet));
    facts.extend(parallel_rows(sheet));
    facts
}

/// Rows that add up the others.
fn total_rows(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Different values of a column that tells parts from a whole.
    const PARTS: std::ops::RangeInclusive<u64> = 3..=2000;
    /// Where there are more, the share of the whole that the rows with the totals have: of totals of all rows, a half.
    const FEW: u64 = 60;
    const HALF: std::ops::Range<f64> = 0.4..0.6;
    /// Other values of which one may be a total as well.
    const MOST_OTHERS: usize = 20;
    /// Rows of a table in which they are looked for: each column is tried with each other, and with two.
    const ROWS: std::ops::RangeInclusive<usize> = 20..=5000;
    // Of few numbers some add up to another by chance.
    if !sheet.is_whole() || !ROWS.contains(&sheet.rows) {
        return Vec::new();
    }
    let is_part = |column: &&SheetColumn<'_>| {
        let tells = column.is_text() || column.is_key || column.has_word(&PERIODS) || numbers_rows(column);
        PARTS.contains(&column.different()) && !column.is_time() && tells
    };
    let is_grouping = |column: &&SheetColumn<'_>| {
        // Few whole numbers that come again and again number something: accounts, years.
        let comes_again = || {
            let is_whole = column.numbers.iter().flatten().all(|number| number.fract() == 0.0);
            column.is_numeric() && is_whole && column.different() * 4 <= sheet.rows as u64
        };
        column.is_key || column.is_text() || column.is_time() || column.has_word(&PERIODS) || comes_again()
    };
    let measures: Vec<&SheetColumn<'_>> = sheet
        .columns
        .iter()
        .filter(|measure| measure.is_numeric() && !measure.is_key && measure.different() > 3)
        .collect();
    let mut facts = Vec::new();
    for column in sheet.columns.iter().filter(is_part) {
        let others: Vec<&SheetColumn<'_>> = sheet
            .columns
            .iter()
            .filter(|other| other.column.name != column.column.name)
            .filter(is_grouping)
            .take(MOST_GROUPINGS)
            .collect();
        let pairs =
            others.iter().enumerate().flat_map(|(place, one)| others[place + 1..].iter().map(|two| vec![*one, *two]));
        let groupings: Vec<Vec<&SheetColumn<'_>>> =
            std::iter::once(Vec::new()).chain(others.iter().map(|one| vec![*one])).chain(pairs).collect();
        let found = measures.iter().find_map(|measure| {
            let (value, share) = largest(sheet, column, measure)?;
            if (column.different() > FEW || numbers_rows(column)) && !HALF.contains(&share) {
                return None;
            }
            let adds = |without: Option<&'_ str>| {
                groupings.iter().find_map(|by| {
                    Some((
                        *measure,
                        value,
                        by,
                        without.map(str::to_owned),
                        adds_up(sheet, column, value, without, measure, by)?,
                    ))
                })
            };
            adds(None).or_else(|| {
                // There may be another total among the others.
                let is_other = |other: &&&str| **other != value;
                let others: HashSet<&str> = column.texts.iter().flatten().map(String::as_str).collect();
                let mut others: Vec<&str> = others.iter().filter(is_other).copied().collect();
                others.sort_unstable();
                if others.len() > MOST_OTHERS { None } else { others.into_iter().find_map(|other| adds(Some(other))) }
            })
        });
        if let Some((measure, value, by, without, (held, looked_at))) = found {
            let (name, from) = (sheet.name(column), sheet.from());
            let proof = format!("SELECT {name}, sum({}) FROM {from} GROUP BY {name}", sheet.name(measure));
            let kind = FactKind::TotalRows {
                column: column.column.name.clone(),
                value: value.to_owned(),
                measure: measure.column.name.clone(),
                without,
            };
            let by = by.iter().map(|by| by.column.name.as_str());
            facts.push(Fact::new(kind, held, looked_at, proof).resting_on(by, []));
        }
    }
    facts
}

/// Whether a column numbers the rows of a thing: the last may be their total, as 999.
fn numbers_rows(column: &SheetColumn<'_>) -> bool {
    const MOST: u64 = 60;
    let are_whole = || column.numbers.iter().flatten().all(|number| number.fract() == 0.0 && *number >= 0.0);
    column.is_numeric() && !column.is_key && column.different() <= MOST && are_whole()
}

/// Rows that are called totals, where they are larger than the others.
fn named_totals(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// How such rows are called, at least so many of them, and the most of all rows that they may be.
    const CALLED: [&str; 17] = [
        "total",
        "totals",
        "grand total",
        "subtotal",
        "sub-total",
        "sub total",
        "sous-total",
        "sous total",
        "summe",
        "zwischensumme",
        "gesamtsumme",
        "gesamt",
        "insgesamt",
        "totaal",
        "totale",
        "subtotaal",
        "total general",
    ];
    const LEAST: usize = 3;
    const MOST: f64 = 0.5;
    /// How many times the mean of the others they are on average.
    const LARGER: f64 = 1.3;
    let is_called = |text: &str| {
        let text = text.trim().trim_end_matches(':').to_lowercase();
        CALLED.iter().any(|word| text == *word || text.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    };
    let measures =
        || sheet.columns.iter().filter(|measure| measure.is_numeric() && !measure.is_key && measure.different() > 3);
    let mut facts = Vec::new();
    for column in sheet.columns.iter().filter(|column| column.is_text() && !column.is_time()) {
        let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, text) in column.texts.iter().enumerate() {
            if let Some(text) = text.as_deref().filter(|text| is_called(text)) {
                rows.entry(text).or_default().push(row);
            }
        }
        let all: HashSet<usize> = rows.values().flatten().copied().collect();
        if all.len() < LEAST || all.len() as f64 > MOST * sheet.rows as f64 {
            continue;
        }
        let mean = |measure: &SheetColumn<'_>, of_totals: bool| {
            let numbers =
                (0..sheet.rows).filter(|row| all.contains(row) == of_totals).filter_map(|row| measure.numbers[row]);
            let numbers: Vec<f64> = numbers.map(f64::abs).collect();
            numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
        };
        // The number of a line is larger there as well.
        let larger = |measure: &SheetColumn<'_>| mean(measure, true) / mean(measure, false).max(f64::EPSILON);
        // What adds up in most things is what they are totals of; a price is larger there by chance.
        let things: Vec<&SheetColumn<'_>> =
            sheet.columns.iter().filter(|thing| thing.is_key).take(MOST_GROUPINGS).collect();
        let agreeing = |measure: &SheetColumn<'_>| {
            things.iter().map(|thing| totals_of(sheet, thing, &all, measure)).max().unwrap_or(0)
        };
        let large = measures().filter(|measure| larger(measure) >= LARGER);
        let largest = large.map(|measure| (agreeing(measure), larger(measure), measure));
        let largest = largest.max_by(|one, two| one.0.cmp(&two.0).then(one.1.total_cmp(&two.1)));
        let Some((.., measure)) = largest else { continue };
        // Other ways to call them are seen with it.
        let Some((value, held)) = rows.into_iter().max_by_key(|(_, rows)| rows.len()) else { continue };
        let (name, from) = (sheet.name(column), sheet.from());
        let proof = format!("SELECT {name}, count(*), avg({}) FROM {from} GROUP BY {name}", sheet.name(measure));
        let kind = FactKind::TotalRows {
            column: column.column.name.clone(),
            value: value.to_owned(),
            measure: measure.column.name.clone(),
            without: None,
        };
        facts.push(Fact::new(kind, held.len() as u64, sheet.rows as u64, proof));
    }
    facts
}

/// In how many things the one row that is a total is the sum of the others.
fn totals_of(sheet: &Sheet<'_>, thing: &SheetColumn<'_>, totals: &HashSet<usize>, measure: &SheetColumn<'_>) -> usize {
    let adds_up = |rows: &&Vec<usize>| {
        let of = |are_totals: bool| rows.iter().filter(move |row| totals.contains(row) == are_totals);
        let sum = |are_totals: bool| of(are_totals).filter_map(|row| measure.numbers[*row]).sum::<f64>();
        of(true).count() == 1
            && of(false).count() > 1
            && (sum(true) - sum(false)).abs() <= 0.02 + 1e-3 * sum(false).abs()
    };
    sheet.groups(&[thing]).iter().filter(adds_up).count()
}

/// The value whose rows have most of a quantity, with their share of it.
fn largest<'s>(sheet: &Sheet<'_>, column: &'s SheetColumn<'_>, measure: &SheetColumn<'_>) -> Option<(&'s str, f64)> {
    let mut sums: HashMap<&str, f64> = HashMap::new();
    for row in 0..sheet.rows {
        if let (Some(value), Some(number)) = (column.texts[row].as_deref(), measure.numbers[row]) {
            *sums.entry(value).or_default() += number.abs();
        }
    }
    let all: f64 = sums.values().sum();
    let (value, most) = sums.into_iter().max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(one.0)))?;
    Some((value, most / all))
}

/// In how many groups the row with `value` is the sum of the others, one of them left out, of how many; `None` where in few.
fn adds_up(
    sheet: &Sheet<'_>,
    column: &SheetColumn<'_>,
    value: &str,
    without: Option<&str>,
    measure: &SheetColumn<'_>,
    by: &[&SheetColumn<'_>],
) -> Option<(u64, u64)> {
    let mut groups: HashMap<u64, (Option<f64>, f64, usize)> = HashMap::new();
    for row in 0..sheet.rows {
        let Some(number) = measure.numbers[row] else { continue };
        if without.is_some() && column.texts[row].as_deref() == without {
            continue;
        }
        let group = by.first().map_or(0, |first| first.group_of(row, by.get(1).copied()));
        let group = groups.entry(group).or_default();
        match column.texts[row].as_deref() == Some(value) {
            true if group.0.is_some() => return None,
            true => group.0 = Some(number),
            false => (group.1, group.2) = (group.1 + number, group.2 + usize::from(number != 0.0)),
        }
    }
    // Nothing is the sum of nothing.
    let told: Vec<&(Option<f64>, f64, usize)> =
        groups.values().filter(|(total, sum, others)| total.is_some() && *others > 1 && *sum != 0.0).collect();
    let is_sum = |(total, sum, _): &&&(Option<f64>, f64, usize)| {
        total.is_some_and(|total| (total - sum).abs() <= 0.02 + 1e-3 * sum.abs())
    };
    let held = told.iter().filter(is_sum).count();
    // One sum of two may be chance.
    let parts: usize = told.iter().map(|(.., others)| others).sum();
    (held > 0 && held * 10 >= told.len() * 8 && (held >= 3 || parts >= 6)).then_some((held as u64, told.len() as u64))
}

/// Columns that name other rows of the table: sums of those that name them, and rows that take the place of what they name.
fn parents(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// The share of the rows that may take the place of others.
    const REPLACING: std::ops::RangeInclusive<f64> = 0.0005..=0.35;
    /// The share of the names that must be there.
    const THERE: f64 = 0.9;
    const LEAST: usize = 3;
    let mut facts = Vec::new();
    let Some(key) = sheet.columns.iter().find(|key| is_own_key(sheet, key)) else { return facts };
    let known: HashSet<&String> = key.texts.iter().flatten().collect();
    for parent in sheet.columns.iter().filter(|parent| parent.column.name != key.column.name && !parent.is_time()) {
        let named: Vec<&String> = parent.texts.iter().flatten().collect();
        let there = named.iter().filter(|name| known.contains(*name)).count();
        let refers = sheet
            .table
            .foreign_keys
            .iter()
            .any(|other| other.ref_table == sheet.table.id && other.columns == [parent.column.name.clone()]);
        // Small numbers are found among others by chance.
        let is_replacing = parent.has_word(&words_of::REPLACING);
        let is_parent =
            refers || parent.is_key || is_replacing || parent.words.iter().any(|word| PARENTS.contains(&word.as_str()));
        let is_all_there = sheet.is_whole() && there as f64 >= THERE * named.len() as f64;
        if named.len() < LEAST || !is_parent || !(refers || is_all_there) || parent.texts == key.texts {
            continue;
        }
        let share = 1.0 - parent.empty();
        if is_replacing && REPLACING.contains(&share) {
            let (name, own) = (sheet.name(parent), sheet.name(key));
            let from = sheet.from();
            let proof = format!(
                "SELECT one.*, other.* FROM {from} AS one JOIN {from} AS other ON one.{name} = other.{own} LIMIT 20"
            );
            // What is merged into another row or was replaced by it is named by the row that no longer counts.
            let by_other = parent.has_word(&["by", "into"])
                || parent.has_word(&["duplicate", "dup", "dublette"]) && !parent.has_word(&["has"]);
            let kind =
                FactKind::Replaces { column: parent.column.name.clone(), key: key.column.name.clone(), by_other };
            facts.push(Fact::new(kind, named.len() as u64, sheet.rows as u64, proof));
        } else if sheet.is_whole() {
            let measures = sheet.columns.iter().filter(|measure| measure.is_numeric() && !measure.is_key);
            facts.extend(measures.filter_map(|measure| parent_totals(sheet, measure, parent, key)));
        }
    }
    facts
}

/// Words of a column that names what a row is a part of.
const PARENTS: [&str; 12] =
    ["parent", "up", "main", "master", "group", "head", "super", "haupt", "ober", "belongs", "of", "par"];

fn is_own_key(sheet: &Sheet<'_>, key: &SheetColumn<'_>) -> bool {
    let name = std::slice::from_ref(&key.column.name);
    let is_declared = sheet.table.primary_key == name
        || sheet.table.indexes.iter().any(|index| index.unique && index.columns == name);
    let is_unique = || {
        let mut seen = HashSet::new();
        key.is_key && key.texts.iter().all(|text| text.as_ref().is_some_and(|text| seen.insert(text)))
    };
    is_declared || sheet.is_whole() && is_unique()
}

/// Whether a quantity of the rows that others name is the sum of these.
fn parent_totals(
    sheet: &Sheet<'_>,
    measure: &SheetColumn<'_>,
    parent: &SheetColumn<'_>,
    key: &SheetColumn<'_>,
) -> Option<Fact> {
    const PARENTS: usize = 2;
    const CHILDREN: usize = 6;
    const SHARE: f64 = 0.8;
    let mut children: HashMap<&str, (f64, usize)> = HashMap::new();
    for (name, number) in parent.texts.iter().zip(&measure.numbers) {
        if let (Some(name), Some(number)) = (name, number) {
            let (sum, count) = children.entry(name).or_default();
            (*sum, *count) = (*sum + number, *count + 1);
        }
    }
    let pairs = key.texts.iter().zip(&measure.numbers).filter_map(|(name, number)| {
        let (sum, count) = children.get(name.as_deref()?)?;
        Some((((*number)? - sum).abs() <= 0.02 + 5e-3 * sum.abs(), *sum, *count))
    });
    let pairs: Vec<(bool, f64, usize)> = pairs.filter(|(_, sum, count)| *count > 1 && *sum != 0.0).collect();
    let held = pairs.iter().filter(|(is_sum, ..)| *is_sum).count();
    let parts: usize = pairs.iter().filter(|(is_sum, ..)| *is_sum).map(|(.., count)| count).sum();
    if held < PARENTS || parts < CHILDREN || (held as f64) < SHARE * pairs.len() as f64 {
        return None;
    }
    let (name, own, number, from) = (sheet.name(parent), sheet.name(key), sheet.name(measure), sheet.from());
    let proof = format!(
        "SELECT one.{own}, one.{number}, sum(other.{number}) FROM {from} AS one JOIN {from} AS other ON other.{name} = one.{own} GROUP BY one.{own}, one.{number}"
    );
    let kind = FactKind::ParentTotals {
        column: measure.column.name.clone(),
        parent: parent.column.name.clone(),
        key: key.column.name.clone(),
        marked: mark_of_parents(sheet, parent, key),
    };
    Some(Fact::new(kind, held as u64, pairs.len() as u64, proof))
}

/// A column that has one value in the rows that others name, and others in those that name them.
fn mark_of_parents(sheet: &Sheet<'_>, parent: &SheetColumn<'_>, key: &SheetColumn<'_>) -> Option<(String, String)> {
    /// Different values of a column that tells kinds of rows apart, and the share of the rows of which it must be true.
    const KINDS: std::ops::RangeInclusive<u64> = 2..=8;
    const SHARE: f64 = 0.98;
    let named: HashSet<&str> = parent.texts.iter().flatten().map(String::as_str).collect();
    let is_named = |row: usize| key.texts[row].as_deref().is_some_and(|name| named.contains(name));
    let parents: Vec<usize> = (0..sheet.rows).filter(|row| is_named(*row)).collect();
    let children: Vec<usize> = (0..sheet.rows).filter(|row| parent.texts[*row].is_some() && !is_named(*row)).collect();
    let is_kind = |column: &&SheetColumn<'_>| {
        KINDS.contains(&column.different()) && !column.is_time() && !column.is_key && column.empty() < 0.02
    };
    sheet.columns.iter().filter(is_kind).find_map(|column| {
        let value = column.texts[*parents.first()?].as_ref()?;
        let has = |rows: &[usize]| {
            rows.iter().filter(|row| column.texts[**row].as_ref() == Some(value)).count() as f64
                / rows.len().max(1) as f64
        };
        let tells = has(&parents) >= SHARE && has(&children) <= 1.0 - SHARE;
        tells.then(|| (column.column.name.clone(), value.clone()))
    })
}

/// Rows of one thing that differ by their kind and hardly by a quantity, where things differ much by it.
fn parallel_rows(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Kinds, things, and pairs of rows.
    const KINDS: std::ops::RangeInclusive<u64> = 2..=4;
    const THINGS: u64 = 20;
    const PAIRS: usize = 30;
    /// How near two quantities are, as a logarithm; the share of pairs of one thing that are so near, and of pairs of any two.
    const NEAR: f64 = 0.15;
    const OF_ONE: f64 = 0.6;
    const OF_ANY: f64 = 0.25;
    // Two sides of an entry and two lists of prices are nearly equal as well, and both count.
    let is_kind = |column: &&SheetColumn<'_>| {
        // Numbered versions differ, the highest is the one that counts.
        let tells = column.has_word(&words_of::SOURCES) && !(column.has_word(&VERSIONS) && column.is_numeric());
        KINDS.contains(&column.different()) && column.empty() < 0.02 && tells
    };
    let is_thing = |column: &&SheetColumn<'_>| {
        (column.is_key || column.is_text() || column.is_time()) && column.different() >= THINGS && column.empty() < 0.02
    };
    let things: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_thing).take(MOST_GROUPINGS).collect();
    let alone = things.iter().map(|thing| vec![*thing]);
    let pairs =
        things.iter().enumerate().flat_map(|(place, one)| things[place + 1..].iter().map(move |two| vec![*one, *two]));
    let keys: Vec<Vec<&SheetColumn<'_>>> = alone.chain(pairs).collect();
    for by in sheet.columns.iter().filter(is_kind) {
        // Of a day much is alike, whatever it is measured by: the weather, the prices.
        let is_thing = |key: &&Vec<&SheetColumn<'_>>| {
            key.iter().all(|column| column.column.name != by.column.name) && !key.iter().all(|column| column.is_time())
        };
        for key in keys.iter().filter(is_thing) {
            let groups = sheet.groups(key);
            let differ = |rows: &Vec<usize>| {
                let kinds: HashSet<u64> = rows.iter().map(|row| by.group_of(*row, None)).collect();
                kinds.len() == rows.len()
            };
            let several: Vec<&Vec<usize>> = groups.iter().filter(|rows| rows.len() > 1).collect();
            if several.len() < PAIRS || !several.iter().all(|rows| differ(rows)) {
                continue;
            }
            let measures = sheet
                .columns
                .iter()
                .filter(|measure| measure.is_numeric() && !measure.is_key && measure.different() >= THINGS);
            for measure in measures {
                let log = |row: usize| measure.numbers[row].filter(|number| *number > 0.0).map(f64::ln);
                let near = |pair: &(f64, f64)| (pair.0 - pair.1).abs() <= NEAR;
                let share = |pairs: &[(f64, f64)]| {
                    pairs.iter().filter(|pair| near(pair)).count() as f64 / pairs.len().max(1) as f64
                };
                let of_one: Vec<(f64, f64)> =
                    several.iter().filter_map(|rows| Some((log(rows[0])?, log(rows[1])?))).collect();
                let of_any: Vec<(f64, f64)> = several
                    .iter()
                    .zip(several.iter().skip(several.len() / 2))
                    .filter_map(|(one, two)| Some((log(one[0])?, log(two[1])?)))
                    .collect();
                if of_one.len() < PAIRS || share(&of_one) < OF_ONE || share(&of_any) > OF_ANY {
                    continue;
                }
                let list = key.iter().map(|column| sheet.name(column)).collect::<Vec<_>>().join(", ");
                let (kind, name) = (sheet.name(by), sheet.name(measure));
                let proof =
                    format!("SELECT {list}, {kind}, {name} FROM {} ORDER BY {list}, {kind} LIMIT 40", sheet.from());
                let mut values: Vec<String> = by.texts.iter().flatten().cloned().collect();
                values.sort_unstable();
                values.dedup();
                let told = FactKind::ParallelRows {
                    column: measure.column.name.clone(),
                    key: key.iter().map(|column| column.column.name.clone()).collect(),
                    by: by.column.name.clone(),
                    values,
                };
                return Some(Fact::new(told, of_one.len() as u64, several.len() as u64, proof));
            }
        }
    }
    None
}
