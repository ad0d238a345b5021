//! Codes that say nothing by themselves, told by what else a row has: of which state rows have an end, of which a successor.

use std::collections::{BTreeMap, HashSet};

use catalog::{Fact, FactKind, TableKind};

use super::sheet::{Sheet, SheetColumn};

/// Codes of rows that have a value in another column, and of no other rows.
pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Letters of a code that needs telling, and facts of one table.
    const LONGEST: usize = 2;
    const MOST: usize = 2;
    if sheet.table.kind != TableKind::Table {
        return Vec::new();
    }
    let is_code = |column: &&SheetColumn<'_>| {
        (2..=8).contains(&column.different())
            && column.empty() == 0.0
            && !column.is_time()
            && column.texts.iter().flatten().all(|text| (1..=LONGEST).contains(&text.chars().count()))
    };
    // When something happened, or what a row refers to; a quantity may be missing for any reason.
    let has_gaps =
        |column: &&SheetColumn<'_>| (column.is_time() || column.is_key) && (0.01..0.99).contains(&column.empty());
    let mut facts: Vec<Fact> = Vec::new();
    for codes in sheet.columns.iter().filter(is_code) {
        // One column says it; of several the one of which most rows speak.
        let found = sheet.columns.iter().filter(has_gaps).filter_map(|filled| with_a_value(sheet, codes, filled));
        facts.extend(found.max_by_key(|fact| (fact.held, std::cmp::Reverse(fact.key()))));
    }
    facts.truncate(MOST);
    facts
}

fn with_a_value(sheet: &Sheet<'_>, codes: &SheetColumn<'_>, filled: &SheetColumn<'_>) -> Option<Fact> {
    /// Rows of each kind, with the value and without, and the share of all that may be otherwise.
    const ROWS: usize = 10;
    const OTHERWISE: f64 = 0.002;
    /// How a yes is written. That it goes with a value is what anybody expects.
    const YES: [&str; 9] = ["1", "Y", "y", "T", "t", "J", "j", "X", "x"];
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (code, value) in codes.texts.iter().zip(&filled.texts) {
        let (with, without) = rows.entry(code.as_deref()?).or_default();
        // Engines keep an empty text apart from none; who fills in forms doesn't.
        match value.as_deref().is_some_and(|value| !value.trim().is_empty()) {
            true => *with += 1,
            false => *without += 1,
        }
    }
    let values: Vec<String> =
        rows.iter().filter(|(_, (with, without))| with > without).map(|(code, _)| (*code).to_owned()).collect();
    let has = |code: &&str| values.iter().any(|value| value == code);
    let (mut held, mut others, mut wrong) = (0, 0, 0);
    for (code, (with, without)) in &rows {
        let (right, not) = if has(code) { (with, without) } else { (without, with) };
        *(if has(code) { &mut held } else { &mut others }) += right;
        wrong += not;
    }
    let names: HashSet<&str> = values.iter().map(String::as_str).collect();
    let is_plain = names.len() == 1 && names.iter().all(|name| YES.contains(name));
    let is_told = held >= ROWS && others >= ROWS && wrong as f64 <= OTHERWISE * sheet.rows as f64 && !is_plain;
    if !is_told || names.len() * 2 > rows.len() + 1 {
        return None;
    }
    let (name, other) = (sheet.name(codes), sheet.name(filled));
    let proof = format!("SELECT {name}, count(*), count({other}) FROM {} GROUP BY {name}", sheet.from());
    let kind =
        FactKind::CodesWhereFilled { column: codes.column.name.clone(), values, filled: filled.column.name.clone() };
    Some(Fact::new(kind, (held + others) as u64, sheet.rows as u64, proof))
}
