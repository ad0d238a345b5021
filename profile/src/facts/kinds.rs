//! What a column of a few kinds says of others: whether a quantity adds or takes away, whether a column is filled, in what it is
//! measured, which of several rows counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::{Fact, FactKind, KnownValues};

use super::columns::yes;
use super::sheet::{Sheet, SheetColumn};
use super::words_of;

/// Different values of a column of kinds.
const MOST_KINDS: u64 = 16;
/// Rows of a kind that say something.
const LEAST_ROWS: usize = 5;

/// Values, in lower case, of which one adds what the other takes away.
const OPPOSITES: [[&str; 2]; 58] = [
    ["in", "out"],
    ["inbound", "outbound"],
    ["incoming", "outgoing"],
    ["i", "o"],
    ["credit", "debit"],
    ["cr", "dr"],
    ["c", "d"],
    ["haben", "soll"],
    ["h", "s"],
    ["+", "-"],
    ["plus", "minus"],
    ["invoice", "credit note"],
    ["invoice", "credit_note"],
    ["invoice", "credit"],
    ["inv", "crn"],
    ["inv", "cn"],
    ["rechnung", "gutschrift"],
    ["re", "gs"],
    ["sale", "return"],
    ["sale", "refund"],
    ["payment", "refund"],
    ["charge", "refund"],
    ["purchase", "return"],
    ["deposit", "withdrawal"],
    ["receipt", "issue"],
    ["receipt", "consumption"],
    ["zugang", "abgang"],
    ["eingang", "ausgang"],
    ["e", "a"],
    ["buy", "sell"],
    ["income", "expense"],
    ["add", "remove"],
    ["load", "unload"],
    ["entree", "sortie"],
    ["entrada", "salida"],
    ["original", "reversal"],
    ["we", "wa"],
    ["wareneingang", "warenausgang"],
    ["re", "gu"],
    ["rg", "gs"],
    ["rg", "gu"],
    ["einzahlung", "auszahlung"],
    ["zahlung", "erstattung"],
    ["zahlung", "rückzahlung"],
    ["verkauf", "storno"],
    ["verkauf", "retoure"],
    ["verkauf", "rückgabe"],
    ["buchung", "storno"],
    ["facture", "avoir"],
    ["fac", "av"],
    ["paiement", "remboursement"],
    ["vente", "retour"],
    ["dépôt", "retrait"],
    ["depot", "retrait"],
    ["factura", "abono"],
    ["pago", "reembolso"],
    ["payment", "chargeback"],
    ["booking", "cancellation"],
];

/// Quantities without a sign, where another column says whether they come or go.
pub(super) fn signed_by(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Quantities of one table that are told.
    const MOST: usize = 3;
    let is_measure = |column: &&SheetColumn<'_>| {
        let measured = column.has_word(&words_of::QUANTITIES) || column.has_word(&words_of::MONEY);
        column.is_numeric() && !column.is_key && measured && !column.has_word(&words_of::WITHOUT_UNIT)
    };
    let mut facts = Vec::new();
    for by in &sheet.columns {
        let Some(pair) = opposites(by) else { continue };
        let columns = sheet.columns.iter().filter(is_measure).filter(|column| column.column.name != by.column.name);
        for column in columns.take(MOST) {
            let of_kind = |kind: &String| {
                let rows = by.texts.iter().zip(&column.numbers).filter(|(text, _)| text.as_ref() == Some(kind));
                rows.filter_map(|(_, number)| *number).filter(|number| *number != 0.0).collect::<Vec<f64>>()
            };
            let both: Vec<Vec<f64>> = pair.iter().map(of_kind).collect();
            let is_positive =
                |numbers: &Vec<f64>| numbers.len() >= LEAST_ROWS && numbers.iter().all(|number| *number > 0.0);
            if !both.iter().all(is_positive) {
                continue;
            }
            let rows = both.iter().map(Vec::len).sum::<usize>() as u64;
            let (name, from) = (sheet.name(by), sheet.from());
            let proof =
                format!("SELECT {name}, count(*), min({0}), sum({0}) FROM {from} GROUP BY {name}", sheet.name(column));
            let kind = FactKind::SignedBy {
                column: column.column.name.clone(),
                by: by.column.name.clone(),
                values: pair.to_vec(),
            };
            facts.push(Fact::new(kind, rows, rows, proof));
        }
    }
    facts
}

/// Quantities that are in the rows of some kinds so many times as large as in those of the others as units differ, and else
/// distributed alike.
pub(super) fn scaled_by(sheet: &Sheet<'_>) -> Vec<Fact> {
    let is_measure = |column: &&SheetColumn<'_>| {
        column.is_numeric() && !column.is_key && column.different() >= 8 && !column.has_word(&words_of::WITHOUT_UNIT)
    };
    let is_kind = |column: &&SheetColumn<'_>| {
        (2..=MOST_KINDS).contains(&column.different()) && !column.is_time() && column.empty() < 0.02
    };
    let kinds: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_kind).collect();
    let measures = sheet.columns.iter().filter(is_measure);
    measures.filter_map(|column| kinds.iter().find_map(|by| scaled(sheet, column, by))).collect()
}

fn scaled(sheet: &Sheet<'_>, column: &SheetColumn<'_>, by: &SheetColumn<'_>) -> Option<Fact> {
    /// How near to a factor between units, and how much the medians of kinds on one side may differ.
    const NEAR: f64 = 0.2;
    const ALIKE: f64 = 2.0;
    /// The largest difference between the shares below any value, of one side and of the other brought to its unit.
    const DISTANCE: f64 = 0.15;
    /// Rows of a side.
    const LEAST: usize = 40;
    /// How many times as large the least of one side is as the largest of the other, where they aren't alike.
    const APART: f64 = 100.0;
    if by.column.name == column.column.name {
        return None;
    }
    let logs = |numbers: Vec<f64>| {
        let mut logs: Vec<f64> = numbers.into_iter().filter(|number| *number > 0.0).map(f64::ln).collect();
        logs.sort_by(f64::total_cmp);
        logs
    };
    let mut groups: Vec<(&str, Vec<f64>)> =
        by_value(by, column).into_iter().map(|(kind, it)| (kind, logs(it))).collect();
    groups.retain(|(_, logs)| logs.len() >= LEAST_ROWS);
    let middle = |logs: &[f64]| logs[logs.len() / 2];
    groups.sort_by(|one, two| middle(&one.1).total_cmp(&middle(&two.1)));
    let gap = |place: &usize| middle(&groups[*place].1) - middle(&groups[*place - 1].1);
    let place = (1..groups.len()).max_by(|one, two| gap(one).total_cmp(&gap(two)))?;
    let (small, large) = groups.split_at(place);
    let are_alike = |side: &[(&str, Vec<f64>)]| {
        let ends = side.first().zip(side.last());
        ends.is_some_and(|(first, last)| middle(&last.1) - middle(&first.1) <= ALIKE.ln())
    };
    let all = |side: &[(&str, Vec<f64>)]| {
        let mut all: Vec<f64> = side.iter().flat_map(|(_, logs)| logs.iter().copied()).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (below, above) = (all(small), all(large));
    if !are_alike(small) || !are_alike(large) || below.len() < LEAST_ROWS || above.len() < LEAST_ROWS {
        return None;
    }
    let rough = middle(&above) - middle(&below);
    let of_units = UNIT_FACTORS.into_iter().find(|factor| (rough - factor.ln()).abs() <= NEAR);
    let is_alike = |factor: &f64| {
        below.len() >= LEAST && above.len() >= LEAST && distance(&below, &above, factor.ln()) <= DISTANCE
    };
    // Far apart, with nothing between: whatever they are, they aren't to be added up.
    let apart = above.first()? - below.last()?;
    let is_apart = apart >= APART.ln();
    let factor = of_units.filter(is_alike).or_else(|| is_apart.then(|| in_one_digit(rough.exp())))?;
    let mut values: Vec<(&str, usize)> = large.iter().map(|(kind, logs)| (*kind, logs.len())).collect();
    values.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(two.0)));
    let (kind, from) = (sheet.name(by), sheet.from());
    let proof = format!("SELECT {kind}, count(*), avg({}) FROM {from} GROUP BY {kind} ORDER BY 3", sheet.name(column));
    let told = FactKind::ScaledBy {
        column: column.column.name.clone(),
        by: by.column.name.clone(),
        values: values.into_iter().take(4).map(|(kind, _)| kind.to_owned()).collect(),
        factor,
    };
    let rows = (below.len() + above.len()) as u64;
    Some(Fact::new(told, rows, rows, proof))
}

/// Amounts and quantities that are negative in rows of some kinds, and in no others: what was paid back, what was taken out.
pub(super) fn negative_where(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// The share of the rows that are negative; of one kind, to be taken for negative, and not to be; rows of all kinds that are
    /// one or the other.
    const NEGATIVE: std::ops::Range<f64> = 0.005..0.6;
    const ALWAYS: f64 = 0.97;
    const NEVER: f64 = 0.005;
    const COVERED: f64 = 0.97;
    /// Quantities of one table that are told.
    const MOST: usize = 2;
    let is_measure = |column: &&SheetColumn<'_>| {
        let numbers = || column.numbers.iter().flatten().filter(|number| **number != 0.0);
        let below: Vec<f64> = numbers().filter(|number| **number < 0.0).copied().collect();
        let negative = below.len() as f64 / numbers().count().max(1) as f64;
        // One negative value stands for none.
        let different = below.iter().map(|number| number.to_bits()).collect::<HashSet<u64>>().len();
        let is_measured = column.is_numeric() && !column.is_key && column.different() >= 8;
        is_measured && NEGATIVE.contains(&negative) && different >= LEAST_ROWS
    };
    // A number of things that is negative itself says no kind.
    let is_below = |column: &SheetColumn<'_>| column.numbers.iter().flatten().any(|number| *number < 0.0);
    let is_kind = |column: &&SheetColumn<'_>| {
        (2..=MOST_KINDS).contains(&column.different())
            && !column.is_time()
            && column.empty() < 0.02
            && !is_below(column)
    };
    let found = sheet.columns.iter().filter(is_measure).filter_map(|column| {
        let kinds = sheet.columns.iter().filter(is_kind).filter(|by| by.column.name != column.column.name);
        kinds
            .filter_map(|by| {
                let mut groups = by_value(by, column);
                groups.values_mut().for_each(|numbers| numbers.retain(|number| *number != 0.0));
                let all: usize = groups.values().map(Vec::len).sum();
                let share = |numbers: &[f64]| {
                    numbers.iter().filter(|number| **number < 0.0).count() as f64 / numbers.len() as f64
                };
                groups.retain(|_, numbers| numbers.len() >= LEAST_ROWS);
                let is_always = |numbers: &Vec<f64>| share(numbers) >= ALWAYS;
                let told = groups.values().filter(|numbers| is_always(numbers) || share(numbers) <= NEVER);
                let told: usize = told.map(Vec::len).sum();
                let mut negative: Vec<(&str, usize)> =
                    groups.iter().filter(|(_, it)| is_always(it)).map(|(kind, it)| (*kind, it.len())).collect();
                negative.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(two.0)));
                let has_others = negative.len() < groups.len() && !negative.is_empty();
                (has_others && told as f64 >= COVERED * all as f64).then_some((by, negative, told, all))
            })
            // The one with the fewest kinds is the one that says so.
            .min_by_key(|(by, ..)| by.different())
            .map(|(by, negative, told, all)| {
                let (name, from) = (sheet.name(by), sheet.from());
                let of = sheet.name(column);
                let proof = format!("SELECT {name}, count(*), min({of}), max({of}) FROM {from} GROUP BY {name}");
                let kind = FactKind::NegativeWhere {
                    column: column.column.name.clone(),
                    by: by.column.name.clone(),
                    values: negative.into_iter().map(|(kind, _)| kind.to_owned()).collect(),
                };
                Fact::new(kind, told as u64, all as u64, proof)
            })
    });
    found.take(MOST).collect()
}

/// Columns of which each row fills just one: debit or credit, a customer or a supplier.
pub(super) fn one_filled(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Columns that are looked at; rows that fill one of them; how many rows may fill none or two.
    const MOST_COLUMNS: usize = 12;
    const LEAST: usize = 40;
    const OTHERS: f64 = 0.003;
    /// The share of the rows that fill a column.
    const FILLED: std::ops::RangeInclusive<f64> = 0.02..=0.98;
    // Of amounts, nought is none.
    let fills = |column: &SheetColumn<'_>, row: usize| {
        column.texts[row].as_deref().is_some_and(|text| !text.trim().is_empty())
            && (column.is_key || column.numbers[row] != Some(0.0))
    };
    let share = |column: &SheetColumn<'_>| {
        (0..sheet.rows).filter(|row| fills(column, *row)).count() as f64 / sheet.rows.max(1) as f64
    };
    let of = |is_key: bool| {
        let is_one = |column: &&SheetColumn<'_>| {
            let is_alike = column.is_key == is_key && (is_key || column.is_numeric()) && !column.is_time();
            is_alike && column.different() >= 5 && FILLED.contains(&share(column))
        };
        sheet.columns.iter().filter(is_one).take(MOST_COLUMNS).collect::<Vec<&SheetColumn<'_>>>()
    };
    if sheet.rows < LEAST {
        return None;
    }
    let most = (OTHERS * sheet.rows as f64) as usize;
    let together = [of(true), of(false)].into_iter().find_map(|columns| {
        columns.iter().enumerate().find_map(|(place, first)| {
            let mut chosen = vec![*first];
            for column in &columns[place + 1..] {
                let both = |row: &usize| fills(column, *row) && chosen.iter().any(|other| fills(other, *row));
                if (0..sheet.rows).filter(both).count() <= most {
                    chosen.push(*column);
                }
            }
            let none = (0..sheet.rows).filter(|row| !chosen.iter().any(|column| fills(column, *row))).count();
            (chosen.len() > 1 && none <= most).then_some(chosen)
        })
    })?;
    let names: Vec<String> = together.iter().map(|column| sheet.name(column)).collect();
    let counts = names.iter().map(|name| format!("count({name})")).collect::<Vec<_>>().join(", ");
    let proof = format!("SELECT count(*), {counts} FROM {}", sheet.from());
    let kind = FactKind::OneFilled { columns: together.iter().map(|column| column.column.name.clone()).collect() };
    Some(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof))
}

/// A factor that is known roughly.
pub(super) fn in_one_digit(rough: f64) -> f64 {
    let scale = 10f64.powf(rough.log10().floor());
    (rough / scale).round() * scale
}

/// Factors between units that one quantity is kept in.
const UNIT_FACTORS: [f64; 5] = [24.0, 60.0, 100.0, 1000.0, 3600.0];

/// The Kolmogorov–Smirnov distance between two sorted lists, one of them moved: the largest difference between the shares below
/// any value.
pub(super) fn distance(below: &[f64], above: &[f64], moved: f64) -> f64 {
    let (mut left, mut right, mut most) = (0, 0, 0.0_f64);
    while left < below.len() && right < above.len() {
        match below[left] + moved <= above[right] {
            true => left += 1,
            false => right += 1,
        }
        most = most.max((left as f64 / below.len() as f64 - right as f64 / above.len() as f64).abs());
    }
    most
}

/// A mark that at most one of several rows of a thing has, where by chance many would have two.
pub(super) fn marked_one(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Pairs of marked rows of one thing that there would be by chance.
    const EXPECTED: f64 = 12.0;
    let is_thing = |column: &&SheetColumn<'_>| {
        let different = column.different();
        column.is_key && different >= 5 && column.empty() == 0.0 && !column.is_time()
    };
    let things: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_thing).collect();
    let mut facts = Vec::new();
    for column in &sheet.columns {
        let Some((value, share)) = yes(column).filter(|(_, share)| (0.01..0.99).contains(share)) else { continue };
        let expected_of = |thing: &SheetColumn<'_>| {
            let mut rows: HashMap<&str, (u32, u32)> = HashMap::new();
            for (thing, text) in thing.texts.iter().zip(&column.texts) {
                let (all, marked) = rows.entry(thing.as_deref().unwrap_or_default()).or_default();
                (*all, *marked) = (*all + 1, *marked + u32::from(text.as_ref() == Some(&value)));
            }
            let pairs = |(all, _): &(u32, u32)| f64::from(*all) * f64::from(all - 1) / 2.0 * share * share;
            let is_one = rows.values().all(|(_, marked)| *marked <= 1);
            is_one.then(|| rows.values().map(pairs).sum::<f64>()).filter(|expected| *expected >= EXPECTED)
        };
        let found = things.iter().filter(|thing| thing.column.name != column.column.name);
        let found = found.filter_map(|thing| Some((expected_of(thing)?, thing)));
        let Some((_, thing)) = found.max_by(|one, two| one.0.total_cmp(&two.0)) else { continue };
        let (key, name) = (sheet.name(thing), sheet.name(column));
        let literal = if column.is_numeric() { value.clone() } else { sheet.dialect.literal(&value) };
        let proof = format!(
            "SELECT {key}, count(*) FROM {} WHERE {name} = {literal} GROUP BY {key} HAVING count(*) > 1",
            sheet.from()
        );
        let kind = FactKind::MarkedOne { column: column.column.name.clone(), value, key: thing.column.name.clone() };
        facts.push(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof));
    }
    facts
}

/// The two values of a column of which one takes away what the other adds.
fn opposites(column: &SheetColumn<'_>) -> Option<[String; 2]> {
    const SIGNS: [&str; 10] =
        ["sign", "direction", "dir", "factor", "vorzeichen", "signe", "multiplier", "sgn", "side", "dc"];
    let KnownValues::All(values) = &column.figures.values else { return None };
    if !(2..=MOST_KINDS as usize).contains(&values.len()) {
        return None;
    }
    if column.is_numeric() {
        let has = |number: f64| values.iter().find(|value| value.parse() == Ok(number)).cloned();
        return column.has_word(&SIGNS).then(|| Some([has(1.0)?, has(-1.0)?]))?;
    }
    let find = |wanted: &str| values.iter().find(|value| value.trim().to_lowercase() == wanted).cloned();
    OPPOSITES.iter().find_map(|[adds, takes]| {
        // Single letters stand for much else.
        let is_short = adds.len() == 1 && adds.chars().all(char::is_alphabetic);
        (!is_short || values.len() == 2 && column.has_word(&SIGNS)).then(|| Some([find(adds)?, find(takes)?]))?
    })
}

/// Whether another column says for which rows this one is filled: then that is why, and not the time of such rows.
pub(super) fn is_filled_by_kind(sheet: &Sheet<'_>, column: &SheetColumn<'_>) -> bool {
    const ALWAYS: f64 = 0.97;
    const NEVER: f64 = 0.02;
    let is_kind = |by: &&SheetColumn<'_>| {
        (2..=MOST_KINDS).contains(&by.different())
            && !by.is_time()
            && by.empty() < 0.02
            && by.column.name != column.column.name
    };
    sheet.columns.iter().filter(is_kind).any(|by| {
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for (kind, text) in by.texts.iter().zip(&column.texts) {
            let Some(kind) = kind.as_deref() else { continue };
            let (filled, all) = counts.entry(kind).or_default();
            (*filled, *all) = (*filled + usize::from(text.is_some()), *all + 1);
        }
        counts.retain(|_, (_, all)| *all >= LEAST_ROWS);
        let shares = counts.values().map(|(filled, all)| *filled as f64 / *all as f64);
        let (always, never) =
            (shares.clone().filter(|it| *it >= ALWAYS).count(), shares.filter(|it| *it <= NEVER).count());
        let rows: usize = counts.values().map(|(_, all)| all).sum();
        always > 0 && never > 0 && always + never == counts.len() && rows * 10 >= sheet.rows * 9
    })
}

/// Values of one column in the rows that have each value of another: by that one's value.
pub(super) fn by_value<'s>(by: &'s SheetColumn<'_>, column: &SheetColumn<'_>) -> BTreeMap<&'s str, Vec<f64>> {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (text, number) in by.texts.iter().zip(&column.numbers) {
        if let (Some(text), Some(number)) = (text.as_deref(), number) {
            groups.entry(text).or_default().push(*number);
        }
    }
    groups
}

/// By how much the medians of groups differ, of those with a few rows.
pub(super) fn between_groups(groups: &BTreeMap<&str, Vec<f64>>) -> f64 {
    let medians = groups.values().filter(|numbers| numbers.len() >= 5).map(|numbers| {
        let mut sorted: Vec<f64> = numbers.iter().map(|number| number.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    });
    let medians: Vec<f64> = medians.filter(|median| *median > 0.0).collect();
    let largest = medians.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = medians.iter().copied().fold(f64::INFINITY, f64::min);
    if medians.len() < 2 { 1.0 } else { largest / least }
}
