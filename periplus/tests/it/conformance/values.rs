//! Words of a question that are values: where they are found, which tables they make relevant, and which pieces of
//! documentation come up first.
//!
//! Scores rest on texts that hold sampled values and an engine's own names of types, so they are near each other and
//! not equal.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Check, World};

const SECTION: &str = "Words and values";
/// Pieces of documentation among which the reference's first one has to be: where names have schemas, texts are longer, and others nearly as good.
const PIECES: &str = "10";
/// A table with this score for one engine has at least the other score for the other.
const RELEVANT: f64 = 0.3;
const NEARLY_RELEVANT: f64 = 0.2;

/// Values of the shop, as people write them.
const WORDS: &[&str] = &[
    "mastercard",
    "Germany",
    "past due subscriptions",
    "delivered",
    "Camping",
    "free shipping",
    "DHL parcels",
    "Nordics",
    "urgent tickets",
    "summit yearly",
    "orders from Switzerland",
    "discontinued products",
    "Almwerk",
    "too expensive",
];

pub(super) fn checks(reference: &World, found: &World) -> Vec<Check> {
    WORDS
        .iter()
        .map(|words| {
            let mut check = Check::of(SECTION, *words);
            let (one, other) = (linked(reference, words), linked(found, words));
            for (from, to, missing) in [(&one, &other, "missing there"), (&other, &one, "missing in SQLite")] {
                let (relevant, near) = (tables(from, RELEVANT), tables(to, NEARLY_RELEVANT));
                for table in relevant.difference(&near) {
                    check.compare(table, "relevant", missing);
                }
                // Values are told of relevant tables only, so those of tables at the limit come and go with them.
                for (table, value) in values(from).difference(&values(to)).filter(|(table, _)| relevant.contains(table))
                {
                    check.compare(&format!("{table}.{value}"), "found", missing);
                }
            }
            let (first, pieces) = (pieces(reference, words).swap_remove(0), pieces(found, words));
            if !pieces.contains(&first) {
                check.compare("pieces", first, pieces.join(", "));
            }
            check
        })
        .collect()
}

fn linked(world: &World, words: &str) -> Value {
    let mut document = world.json(&["link", words]);
    document["linked"].take()
}

/// Names of the tables with at least this score.
fn tables(linked: &Value, least: f64) -> BTreeSet<String> {
    let all = linked["tables"].as_array().into_iter().flatten();
    let relevant = all.filter(|table| table["score"].as_f64().is_some_and(|score| score >= least));
    relevant.filter_map(|table| Some(table["id"]["name"].as_str()?.to_owned())).collect()
}

/// The values found, each behind its table: `status = delivered`.
fn values(linked: &Value) -> BTreeSet<(String, String)> {
    let hits = linked["values"].as_array().unwrap_or_else(|| panic!("{linked:#}"));
    let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    hits.iter()
        .map(|hit| (part(&hit["table"]["name"]), format!("{} = {}", part(&hit["column"]), part(&hit["stored"]))))
        .collect()
}

/// The first pieces of documentation for these words.
fn pieces(world: &World, words: &str) -> Vec<String> {
    let document = world.json(&["search", words, "-k", PIECES]);
    let hits = document.as_array().unwrap_or_else(|| panic!("{words}: {document:#}"));
    hits.iter().filter_map(|hit| hit["chunk"].as_str()).map(|name| world.without_schemas(name)).collect()
}
