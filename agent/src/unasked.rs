//! What makes a statement another question's: it leaves out what somebody wrote about a value, or what has no end, compares with a
//! number of its own, or counts things by what refers to them.
//!
//! The model's own probability doesn't show either: it is as sure of `premise_id = 3` as of the rest.

use catalog::{Catalog, Entry};
use sql::{Comparison, LiteralKind, Manner, ResolvedStatement};

use crate::assumptions::values;

/// Characters of a sentence that are quoted.
const MOST_QUOTED: usize = 160;

/// Words by which a sentence says that something doesn't count, or alone does.
const RULES: &[&str] = &[
    "not",
    "never",
    "no",
    "without",
    "except",
    "exclude",
    "excluded",
    "excludes",
    "excluding",
    "ignore",
    "ignored",
    "only",
    "don",
    "doesn",
    "nicht",
    "kein",
    "keine",
    "ohne",
    "nur",
    "ausser",
    "außer",
    "ne",
    "pas",
    "sans",
    "sauf",
    "seulement",
    "sin",
    "solo",
    "salvo",
    "nunca",
    "senza",
    "non",
    "niet",
    "geen",
    "zonder",
    "alleen",
    "não",
    "sem",
    "apenas",
];
/// Whole numbers as they are said, from the first day on.
const NUMBERS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A sentence of people's about a table that the statement reads which speaks of a value of a column, where the statement
/// doesn't look at that column: “VOID bills do not count”.
pub(crate) fn unheeded(catalog: &Catalog, reading: &ResolvedStatement) -> Option<String> {
    let looks_at = |entry: &Entry, name: &str| {
        reading.columns.iter().any(|used| used.column.table == entry.table.id && used.column.column == name)
    };
    let entries = reading.table_ids().into_iter().filter_map(|id| catalog.entry(id));
    entries.flat_map(|entry| entry.table.columns.iter().map(move |column| (entry, column))).find_map(
        |(entry, column)| {
            let stored = values(catalog, &entry.table.id, &column.name)?;
            if looks_at(entry, &column.name) {
                return None;
            }
            let written = entry.overrides.0.values().map(String::as_str);
            let texts = written.chain(entry.table.comment.as_deref()).chain(column.comment.as_deref());
            let sentence = texts.flat_map(sentences).find(|sentence| {
                let words = words::in_text(sentence);
                words.iter().any(|word| RULES.contains(&word.as_str()))
                    && stored.iter().any(|value| names(&words, value))
            })?;
            let quoted: String = sentence.chars().take(MOST_QUOTED).collect();
            Some(format!(
                "somebody wrote of `{}`: “{quoted}”, and the statement doesn't look at `{}`",
                entry.table.id.local(),
                column.name
            ))
        },
    )
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ';', '\n']).map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// Whether a value stands among words; one of two letters may be any word.
fn names(among: &[String], value: &str) -> bool {
    let value_words = words::in_text(value);
    value.chars().count() > 2
        && !value_words.is_empty()
        && value_words.iter().any(|word| word.chars().any(char::is_alphabetic))
        && among.windows(value_words.len()).any(|window| window == value_words)
}

/// A number that the statement compares a column with and that nobody asked for: the question doesn't say it in digits, in
/// a word, as cents or thousandths, or as a month, and what people wrote about the company doesn't have it.
pub(crate) fn made_up_number<'r>(reading: &'r ResolvedStatement, question: &str, company: &str) -> Option<&'r str> {
    let said = words::in_text(question);
    let numbers_in = |text: &str| -> Vec<f64> {
        let plain = text.replace(',', "");
        let numbers = plain.split(|character: char| !character.is_ascii_digit() && character != '.');
        numbers.filter_map(|number| number.trim_matches('.').parse().ok()).collect()
    };
    let (digits, written) = (numbers_in(question), numbers_in(company));
    let is_said = |text: &str| {
        let Ok(number) = text.trim_start_matches('-').parse::<f64>() else { return true };
        let at = |list: &[&'static str], first: usize| {
            let place = text.parse::<usize>().ok()?.checked_sub(first)?;
            list.get(place).copied()
        };
        let in_words = at(&NUMBERS, 0).is_some_and(|number| said.iter().any(|word| word == number));
        let as_month = at(&MONTHS, 1).is_some_and(|month| said.iter().any(|word| word.starts_with(month)));
        let scaled = |factor: f64| digits.iter().any(|it| it * factor == number);
        // 0 and 1 are yes and no, none and some.
        number <= 1.0
            || in_words
            || as_month
            || written.contains(&number)
            || [1.0, 100.0, 1000.0, 0.01].into_iter().any(scaled)
    };
    let numbers = reading.literals.iter().filter(|literal| literal.value.kind == LiteralKind::Number);
    numbers.map(|literal| literal.value.text.as_str()).find(|text| !is_said(text))
}

/// What the names of a period's last day end with.
const ENDS: [&str; 10] = ["end", "ends", "ended", "expires", "expiry", "finish", "through", "till", "to", "until"];
/// Words behind them that only say that it is a day.
const DAYS: [&str; 4] = ["at", "date", "day", "on"];

/// The end of a period that the statement wants to be later than something, where rows without one, which goes on, are left out
/// by that.
pub(crate) fn open_end(catalog: &Catalog, reading: &ResolvedStatement) -> Option<String> {
    let is_later = |operator| matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
    reading.literals.iter().filter(|literal| is_later(literal.operator)).find_map(|literal| {
        let column = &literal.column;
        let words = words::in_identifier(&column.column);
        let last = words.iter().rfind(|word| !DAYS.contains(&word.as_str()))?;
        let profile = catalog.entry(&column.table)?.profile()?.column(&column.column)?;
        let has_open_ones = profile.null_fraction.is_some_and(|share| share > 0.0);
        let minds_them =
            reading.uses.iter().any(|used| used.column == *column && matches!(used.manner, Manner::NullTested));
        let is_between = reading.literals.iter().any(|other| {
            other.column == *column && matches!(other.operator, Comparison::Less | Comparison::LessOrEqual)
        });
        let is_left_out = ENDS.contains(&last.as_str()) && has_open_ones && !minds_them && !is_between;
        is_left_out.then(|| {
            format!(
                "it leaves out rows of `{}` without `{}`, which may have no end",
                column.table.local(),
                column.column
            )
        })
    })
}

/// From this share of different values on a column hardly holds one twice.
const HARDLY_REPEATED: f64 = 0.9;
/// Words behind `how many` among which the noun is that is counted.
const NOUN_WITHIN: usize = 3;

/// A column that is counted for the things it names, where the question asks how many of these there are: each counts as often
/// as it stands there. Growers in a register of parcels are counted by their parcels.
pub(crate) fn counted_repeatedly(catalog: &Catalog, reading: &ResolvedStatement, question: &str) -> Option<String> {
    let said: Vec<String> = words::in_text(question).iter().map(|word| words::singular(word)).collect();
    let begins = said.windows(2).position(|pair| pair == ["how", "many"] || pair == ["number", "of"])? + 2;
    let nouns = &said[begins..said.len().min(begins + NOUN_WITHIN)];
    let counted = reading.aggregates.iter().filter(|it| it.function == "count" && !it.distinct);
    counted.filter_map(|it| it.column.as_ref()).find_map(|column| {
        let profile = catalog.entry(&column.table)?.profile()?.column(&column.column)?;
        let is_repeated = profile.distinct_ratio.is_some_and(|share| share < HARDLY_REPEATED);
        let words = words::in_identifier(&column.column);
        let is_named = words.iter().any(|word| word.len() > 2 && nouns.contains(&words::singular(word)));
        (is_repeated && is_named).then(|| {
            let (column, table) = (&column.column, column.table.local());
            format!("it counts what `{column}` holds as often as it stands in `{table}`, where the same stands several times")
        })
    })
}

#[cfg(test)]
mod tests {
    use catalog::{Catalog, Dialect};
    use sql::ResolvedStatement;

    use super::{counted_repeatedly, made_up_number, names, open_end, unheeded};

    #[test]
    fn things_are_not_counted_by_what_refers_to_them() {
        let parcels = testkit::table("s", "parcels", &["parcel_id INTEGER", "grower_ref INTEGER", "area INTEGER"]);
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![parcels]);
        let catalog = testkit::with_distinct_ratio(catalog, "parcels", "grower_ref", 0.25);
        let catalog = testkit::with_distinct_ratio(catalog, "parcels", "parcel_id", 1.0);
        for (counted, question, expected) in [
            ("count(grower_ref)", "How many growers are in the co-op?", true),
            ("count(DISTINCT grower_ref)", "How many growers are in the co-op?", false),
            ("count(grower_ref)", "How many parcels have a grower?", false),
            ("count(parcel_id)", "How many parcels are there?", false),
            ("count(*)", "How many growers are there?", false),
        ] {
            let reading = reading(&catalog, &format!("SELECT {counted} FROM parcels"));
            assert_eq!(counted_repeatedly(&catalog, &reading, question).is_some(), expected, "{counted}: {question}");
        }
    }

    #[test]
    fn what_has_no_end_goes_on() {
        let coupons = testkit::table("s", "coupons", &["code TEXT", "starts_on TEXT", "ends_on TEXT"]);
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![coupons]);
        let catalog = testkit::with_null_fraction(catalog, "coupons", "ends_on", 0.3);
        let said = |condition: &str| {
            open_end(&catalog, &reading(&catalog, &format!("SELECT count(*) FROM coupons WHERE {condition}"))).is_some()
        };
        for (condition, expected) in [
            ("ends_on >= '2026-06-30'", true),
            ("ends_on IS NULL OR ends_on >= '2026-06-30'", false),
            ("ends_on BETWEEN '2026-01-01' AND '2026-06-30'", false),
            ("ends_on < '2026-06-30'", false),
            ("starts_on >= '2026-06-30'", false),
        ] {
            assert_eq!(said(condition), expected, "{condition}");
        }
    }

    /// Bills of which a comment says what doesn't count.
    fn bills() -> Catalog {
        let mut bills = testkit::table("s", "bills", &["bill_id INTEGER", "cents INTEGER", "status TEXT"]);
        bills.comment = Some("Sent every two months; VOID bills do not count".to_owned());
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![bills]);
        testkit::with_known_values(catalog, "bills", "status", &["PAID", "OPEN", "VOID"])
    }

    fn reading(catalog: &Catalog, sql: &str) -> ResolvedStatement {
        sql::read(sql, &Dialect::Sqlite, &sql::CatalogSchema::new(catalog, "s"))
    }

    #[test]
    fn what_somebody_wrote_of_a_value_has_to_be_looked_at() {
        let catalog = bills();
        let unheeded = |sql: &str| unheeded(&catalog, &reading(&catalog, sql));
        assert_eq!(
            unheeded("SELECT sum(cents) FROM bills").as_deref(),
            Some("somebody wrote of `bills`: “VOID bills do not count”, and the statement doesn't look at `status`")
        );
        assert_eq!(unheeded("SELECT sum(cents) FROM bills WHERE status <> 'VOID'"), None);
        assert_eq!(unheeded("SELECT status, sum(cents) FROM bills GROUP BY status"), None);
    }

    #[test]
    fn a_number_that_nobody_said_is_the_models_own() {
        let catalog = bills();
        let own = |sql: &str, question: &str| {
            made_up_number(&reading(&catalog, sql), question, "998 and 999: not measured.").map(str::to_owned)
        };
        for (compared, question, expected) in [
            ("bill_id = 3", "How many bills are in ID?", Some("3")),
            ("bill_id = 3", "What is in bill 3?", None),
            ("bill_id = 3", "What is in the third bill, number three?", None),
            ("bill_id = 3", "How many bills of 2023?", Some("3")),
            ("cents > 2.5", "Bills of more than 2.5 cents.", None),
            ("cents > 100000", "Bills of more than 1,000 dollars", None),
            ("cents > 5000", "Bills of more than 50 dollars", None),
            ("cents > 5000", "Bills of more than 40 dollars", Some("5000")),
            ("cents < 999", "Bills of this year", None),
            ("cents > 0", "Bills with something to pay", None),
            ("strftime('%m', bill_id) = 5", "Bills of May", None),
        ] {
            let sql = format!("SELECT count(*) FROM bills WHERE {compared}");
            assert_eq!(own(&sql, question).as_deref(), expected, "{sql}: {question}");
        }
    }

    #[test]
    fn a_value_stands_among_words_as_a_whole() {
        let among = |text: &str| words::in_text(text);
        for (sentence, value, expected) in [
            ("VOID bills do not count", "VOID", true),
            ("void bills do not count", "VOID", true),
            ("Avoid these, they do not count", "VOID", false),
            ("Rows on hold are not paid", "on hold", true),
            ("Rows of 2024 are not paid", "2024", false),
            ("in is not a value", "in", false),
        ] {
            assert_eq!(names(&among(sentence), value), expected, "{sentence}: {value}");
        }
    }
}
