//! `docs/reference/engines.md`: a row for each check, a column for each engine.
//!
//! Invariant: the column of an engine that didn't run stays as it is stored.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::engines::ENGINES;

const INTRODUCTION: &str = "\
# Engines

<!-- Generated: edit periplus/tests/it/conformance/. -->

The same database, the shop of `periplus demo`, is copied into every engine, indexed, asked and queried, and compared
with SQLite. What is not the same is so for a reason that is given here; any other difference fails the tests.
";
/// What the checks of a section compare.
const SECTIONS: &[(&str, &str)] = &[
    ("Structure", "What the engine's own catalog says, and the keys that are inferred from the data."),
    (
        "Profiles",
        "What is known of every column. Where both have read a table whole, which they do with up to 10,000 rows, the \
         figures have to be equal; elsewhere they rest on samples, or on the engine's own statistics.",
    ),
    (
        "Verdicts",
        "What `periplus check` says of statements, here by what is wrong with them: the verdict, every finding, and \
         the names, values and statements to use instead.",
    ),
    (
        "Words and values",
        "The tables that `periplus link` takes for relevant to these words, and the values it finds in them; and the \
         first piece that `periplus search` finds with SQLite is among the first five.",
    ),
    ("Results", "The rows that `periplus query` returns, numbers compared as numbers."),
];
/// The outcome of a check that an engine hasn't gone through.
const NOT_RUN: &str = "not run";

/// What came of the checks, in the order in which they ran.
#[derive(Default)]
pub(super) struct Outcomes {
    /// Section and check.
    rows: Vec<(String, String)>,
    cells: BTreeMap<(String, String, String), String>,
}

impl Outcomes {
    pub(super) fn add(&mut self, engine: &str, section: &str, check: &str, outcome: String) {
        let row = (section.to_owned(), check.to_owned());
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
        self.cells.insert((engine.to_owned(), section.to_owned(), check.to_owned()), outcome);
    }

    /// The outcomes that the page holds.
    fn stored(page: &str) -> Self {
        let mut stored = Self::default();
        let (mut section, mut engines) = (String::new(), Vec::new());
        for line in page.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                section = name.to_owned();
            }
            let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
            let mut cells = cells.split(" | ").map(str::to_owned);
            match cells.next() {
                Some(first) if first == "check" => engines = cells.collect(),
                Some(check) => {
                    for (engine, outcome) in engines.iter().zip(cells) {
                        stored.add(engine, &section, &check, outcome);
                    }
                }
                None => {}
            }
        }
        stored
    }

    fn page(&self, stored: &Self) -> String {
        let mut page = INTRODUCTION.to_owned();
        let mut section = "";
        for (of_section, check) in &self.rows {
            if section != of_section {
                section = of_section;
                let compared =
                    SECTIONS.iter().find(|(name, _)| *name == section).map(|(_, compared)| *compared).unwrap();
                let header: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
                let rule = "|---".repeat(header.len());
                write!(page, "\n## {section}\n\n{compared}\n\n| check | {} |\n|---{rule}|\n", header.join(" | "))
                    .unwrap();
            }
            let cell = |engine: &str| {
                let key = (engine.to_owned(), section.to_owned(), check.clone());
                self.cells.get(&key).or_else(|| stored.cells.get(&key)).map_or(NOT_RUN, String::as_str)
            };
            let cells: Vec<&str> = ENGINES.iter().map(|engine| cell(engine.name)).collect();
            writeln!(page, "| {check} | {} |", cells.join(" | ")).unwrap();
        }
        page
    }
}

/// Compares the page with what has just been found, or writes it.
pub(super) fn compare(outcomes: &Outcomes) {
    if outcomes.rows.is_empty() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/engines.md");
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let page = outcomes.page(&Outcomes::stored(&stored));
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        std::fs::write(&path, page).unwrap();
        return;
    }
    for (line, (expected, found)) in stored.lines().zip(page.lines()).enumerate() {
        assert_eq!(
            expected,
            found,
            "docs/reference/engines.md, line {}: run the tests with PERIPLUS_UPDATE=1",
            line + 1
        );
    }
    assert!(stored == page, "docs/reference/engines.md is out of date: run the tests with PERIPLUS_UPDATE=1");
}
