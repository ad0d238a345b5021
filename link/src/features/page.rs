//! `docs/reference/ranking-features.md`, made from the list and compared with it.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use super::{FEATURES, Feature, FeatureGroup, FirstStageFeatures, RerankingFeatures};
use crate::options::Signals;

#[test]
fn the_page_of_the_features_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/ranking-features.md");
    let page = page();
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/reference/ranking-features.md is out of date: run the tests with PERIPLUS_UPDATE=1");
}

#[test]
fn every_name_is_there_once_every_group_has_a_feature_and_every_signal_exists() {
    let names: HashSet<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    assert_eq!(names.len(), FEATURES.len());
    for group in FeatureGroup::ALL {
        assert!(FEATURES.iter().any(|feature| feature.group == *group), "{}", group.name());
    }
    let signals = serde_json::to_value(Signals::default()).expect("signals are written as JSON");
    for signal in FEATURES.iter().flat_map(|feature| feature.signals) {
        assert!(signals.get(signal).is_some(), "{signal}");
    }
    assert!(FEATURES.iter().all(|feature| feature.measures().ends_with('.')));
}

fn page() -> String {
    let mut page = String::from(
        "# What the ranking measures\n\n<!-- Generated: edit link/src/features/list.rs. -->\n\n\
         What is measured of each table for a question, in the order in which the ranker's trees get it. Words are weighed in\n\
         *rare words*: one is the weight of a word that a single table has. The *scope* is the tables that a question may be\n\
         about. With a signal off that a feature rests on, it is 0 (`periplus eval link --without`).\n",
    );
    section(&mut page, "The first stage", FirstStageFeatures::FEATURES);
    section(&mut page, "Reranking", RerankingFeatures::FEATURES);
    page.push_str("\n## Groups\n\nReasons of a rank are made of what the features of a group have added to the odds together.\n\n");
    page.push_str("| group | what its features have in common | kind of reason | features |\n|---|---|---|---|\n");
    for group in FeatureGroup::ALL {
        let kind = group.evidence().map(|kind| serde_json::to_value(kind).expect("a kind is written as JSON"));
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).map(|kind| format!("`{kind}`")).unwrap_or_default();
        let count = FEATURES.iter().filter(|feature| feature.group == *group).count();
        writeln!(page, "| {} | {} | {kind} | {count} |", group.name(), group.about()).expect("a text takes any line");
    }
    page
}

fn section(page: &mut String, heading: &str, features: &[Feature]) {
    let head = "| number | name | group | rests on | what it measures |\n|---|---|---|---|---|";
    writeln!(page, "\n## {heading}\n\n{head}").expect("a text takes any line");
    for Feature { number, name, group, signals, .. } in features {
        let signals: Vec<String> = signals.iter().map(|signal| format!("`{signal}`")).collect();
        let row = [number.to_string(), format!("`{name}`"), group.name().to_owned(), signals.join(", ")];
        let measures = features[*number - features[0].number].measures();
        writeln!(page, "| {} | {measures} |", row.join(" | ")).expect("a text takes any line");
    }
}
