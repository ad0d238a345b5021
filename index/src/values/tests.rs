use words::Language;

use super::{MatchKind, ValueIndex, ValueIndexBuilder, is_one_letter_off};

fn index_of(columns: &[&[&str]]) -> ValueIndex {
    let mut builder = ValueIndexBuilder::default();
    for (column, values) in columns.iter().enumerate() {
        builder.add_column(0, column as u32, values.iter().copied());
    }
    builder.finish()
}

fn check(columns: &[&[&str]], question: &str, expected: &[(&str, &str, MatchKind)]) {
    let index = index_of(columns);
    let found = index.find(question, None, &|word| word == "name");
    let found: Vec<_> = found.iter().map(|found| (found.asked, found.stored, found.kind)).collect();
    assert_eq!(found, expected, "{question}");
}

#[test]
fn finds_values_in_the_spelling_they_are_stored_in() {
    check(&[&["US", "DE"]], "orders from the United States", &[("United States", "US", MatchKind::Synonym)]);
    check(&[&["US", "DE"]], "orders shipped to Germany", &[("Germany", "DE", MatchKind::Synonym)]);
    check(&[&["Madurai", "Chennai"]], "stores in Madurai", &[("Madurai", "Madurai", MatchKind::Exact)]);
    check(&[&["Madurai", "Chennai"]], "stores in Maduray", &[("Maduray", "Madurai", MatchKind::Fuzzy)]);
    check(&[&["cat", "dog"]], "the weight of Cats", &[("Cats", "cat", MatchKind::Inflected)]);
    check(&[&["CANCELLED"]], "all cancelled ones", &[("cancelled", "CANCELLED", MatchKind::CaseFolded)]);
    check(
        &[&["San Francisco", "Francisco"]],
        "flights to San Francisco",
        &[("San Francisco", "San Francisco", MatchKind::Exact)],
    );
}

#[test]
fn words_without_meaning_are_not_values() {
    check(&[&["the", "of", "7"]], "the top 7 of all", &[]);
    check(&[&["IT", "HR"]], "is it open?", &[]);
    check(&[&["IT", "HR"]], "people in IT", &[("IT", "IT", MatchKind::Exact)]);
    check(&[&["Delaware", "de"]], "hotels in Germany", &[]);
}

#[test]
fn words_without_meaning_depend_on_the_language() {
    let strength = |values: &[&str], question: &str, language| {
        let index = index_of(&[values]);
        index.find(question, language, &|_| false).first().map(|found| found.strength)
    };
    let german = Some(Language::German);
    assert!(strength(&["AUS", "AUT"], "Bestellungen aus Wien", None).is_some());
    assert_eq!(strength(&["AUS", "AUT"], "Bestellungen aus Wien", german), None);
    let noun = strength(&["Kunde"], "Wie viele Kunden gibt es, wer ist Kunde?", german);
    assert!(noun < strength(&["Wien"], "Bestellungen aus Wien", german), "{noun:?}");
    let chinese = strength(&["Yuncheng"], "Yuncheng的客户", Some(Language::Chinese));
    assert!(chinese.is_some(), "letters of another script part words");
}

#[test]
fn rare_and_named_values_are_surer_than_common_and_lower_case_ones() {
    let strength = |columns: &[&[&str]], question: &str| {
        index_of(columns).find(question, None, &|word| word == "name")[0].strength
    };
    let named = strength(&[&["Oslo"]], "offices in Oslo");
    assert!(named > strength(&[&["Oslo"]], "offices in oslo"));
    assert!(named > strength(&[&["Oslo"], &["Oslo"], &["Oslo"]], "offices in Oslo"));
    assert!(strength(&[&["blue"]], "the blue ones") > strength(&[&["name"]], "the name please"));
    assert!(strength(&[&["blue"]], "the 'blue' ones") > strength(&[&["blue"]], "the blue ones"));
}

#[test]
fn apostrophes_do_not_open_quotations() {
    let index = index_of(&[&["open"]]);
    let found = index.find("the customer's open orders", None, &|_| false);
    assert!(found[0].strength < 0.5, "{found:?}");
}

#[test]
fn one_letter_off_is_a_change_an_addition_an_omission_or_a_swap() {
    for (left, right, expected) in [
        ("berlin", "berlim", true),
        ("berlin", "berln", true),
        ("berlin", "berllin", true),
        ("berlin", "belrin", true),
        ("berlin", "berlin", false),
        ("berlin", "bern", false),
        ("", "", false),
    ] {
        assert_eq!(is_one_letter_off(left, right), expected, "{left} {right}");
    }
}
