//! What a column of a few kinds says of another one: whether it adds or takes away, whether it is filled, in what it is measured.

use std::collections::{BTreeMap, HashMap};

use catalog::{Fact, FactKind, KnownValues};

use super::sheet::{Sheet, SheetColumn};
use super::words_of;

/// Different values of a column of kinds.
const MOST_KINDS: u64 = 16;
/// Rows of a kind that say something.
const LEAST_ROWS: usize = 5;

/// Values, in lower case, of which one adds what the other takes away.
const OPPOSITES: [[&str; 2]; 36] = [
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
