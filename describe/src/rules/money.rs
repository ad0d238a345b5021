//! Amounts of money that are kept as whole cents.
//!
//! `_cents` says so itself. `_ct` is written for cents and for a count alike, so it counts only beside a word for money,
//! or beside a currency in a table whose values are too large for counts; else nothing is said.

use catalog::{Column, ColumnProfile, Entry, TypeClass, ValueForm};

use crate::vocabulary::spoken;

/// A count of things seldom reaches this; amounts in cents beside a currency mostly do.
const TOO_MANY_TO_COUNT: f64 = 10_000.0;

/// Words for money, also those that German, Dutch, French, Spanish and Italian databases use.
const MONEY: [&str; 42] = [
    "amount", "balance", "betrag", "bedrag", "brutto", "bruto", "budget", "charge", "cost", "credit", "discount",
    "fee", "freight", "gebuehr", "gebühr", "gross", "importe", "kosten", "importo", "income", "montant", "mwst", "btw",
    "net", "netto", "neto", "paid", "pay", "payment", "precio", "preis", "prezzo", "price", "prijs", "prix", "rabatt",
    "revenue", "salary", "tax", "total", "umsatz", "wage",
];

/// Whether the column's values are amounts in cents.
pub(crate) fn in_cents(entry: &Entry, column: &Column, profile: Option<&ColumnProfile>, words: &str) -> bool {
    if column.type_class != TypeClass::Integer {
        return false;
    }
    let words: Vec<&str> = words.split(' ').collect();
    let largest = profile.and_then(|profile| profile.max.as_deref()?.parse::<f64>().ok());
    match words.as_slice() {
        [_, .., "cents"] => true,
        [.., "ct"] if words.iter().any(|word| MONEY.contains(word)) => largest.is_none_or(|largest| largest >= 100.0),
        [_, .., "ct"] => largest.is_some_and(|largest| largest >= TOO_MANY_TO_COUNT) && has_currency(entry),
        _ => false,
    }
}

fn has_currency(entry: &Entry) -> bool {
    let by_values = entry
        .profile()
        .into_iter()
        .flat_map(|profile| &profile.columns)
        .any(|column| column.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CurrencyCode));
    by_values || entry.table.columns.iter().any(|column| spoken(&column.name).split(' ').any(|word| word == "currency"))
}
