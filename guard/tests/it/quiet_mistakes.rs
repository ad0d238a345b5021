//! Statements that run and answer wrong, and their neighbours that are right, over two databases of other domains.
//!
//! The wrong ones are what somebody writes who knows SQL and not the data. How many are told, and how many right ones are
//! warned of, is counted: the first may not fall, the second may not rise.

use catalog::{Catalog, Dialect, Entry, Source};
use guard::{Policy, Severity};

use crate::fixture::Fixture;

const RULES: [&str; 4] = ["last_day", "integer_division", "summed_levels", "literal_value"];

/// The clinic's statements are SQLite's, those of the grid are PostgreSQL's. A line is `code | statement`; wrong ones that
/// no rule tells have the code `-`.
const WRONG: [(&str, Dialect, &str, &str); 2] = [
    (
        "clinic",
        Dialect::Sqlite,
        include_str!("quiet_mistakes/clinic.sql"),
        include_str!("quiet_mistakes/clinic_wrong.txt"),
    ),
    ("grid", Dialect::Postgres, include_str!("quiet_mistakes/grid.sql"), include_str!("quiet_mistakes/grid_wrong.txt")),
];
const RIGHT: [(&str, &str); 2] = [
    ("clinic", include_str!("quiet_mistakes/clinic_right.txt")),
    ("grid", include_str!("quiet_mistakes/grid_right.txt")),
];

/// The catalog of a schema with rows, with the number of different values of each column.
fn catalog_of(fixture: &Fixture, dialect: &Dialect) -> Catalog {
    let entries = fixture.tables.iter().zip(fixture.profiles()).map(|(table, mut profile)| {
        for column in &mut profile.columns {
            column.distinct_count = u64::try_from(column.values.as_slice().len()).ok();
        }
        Entry::bare(table.clone()).with_profile(profile)
    });
    Catalog::new(vec![Source::new("spec", dialect.clone(), "")], entries.collect(), Vec::new(), 1)
}

#[test]
fn wrong_statements_are_told_and_right_ones_left_alone() {
    let (mut told, mut wrong, mut right) = (0, 0, 0);
    let mut failures = Vec::new();
    for (name, dialect, schema, statements) in WRONG {
        let fixture = Fixture::of(schema);
        let catalog = catalog_of(&fixture, &dialect);
        for line in statements.lines() {
            let (code, sql) = line.split_once(" | ").unwrap();
            let verdict = guard::check(sql, &catalog, "spec", &Policy::default(), None);
            assert!(verdict.is_accepted(), "{name}: {sql}: {:?}", verdict.findings);
            let found: Vec<&str> =
                verdict.findings.iter().filter(|it| RULES.contains(&it.rule.as_str())).map(|it| it.code).collect();
            wrong += 1;
            told += usize::from(!found.is_empty());
            if found.contains(&code) != (code != "-") || code == "-" && !found.is_empty() {
                failures.push(format!("{name}: {sql}: expected {code}, found {found:?}"));
            }
            // What is repaired is right, as far as these rules go.
            for finding in verdict.findings.iter().filter(|it| it.code == code) {
                let Some(repaired) = &finding.rewrite else { continue };
                let again = guard::check(repaired, &catalog, "spec", &Policy::default(), None);
                let same = again.findings.iter().any(|it| it.code == code);
                if same || !again.is_accepted() {
                    failures.push(format!("{name}: {sql} was repaired to {repaired}: {:?}", again.findings));
                }
            }
        }
        let lines = RIGHT.iter().filter(|(of, _)| *of == name).flat_map(|(_, statements)| statements.lines());
        for sql in lines {
            right += 1;
            let verdict = guard::check(sql, &catalog, "spec", &Policy::default(), None);
            let warned = |it: &&guard::Finding| RULES.contains(&it.rule.as_str()) && it.severity > Severity::Hint;
            let found: Vec<_> = verdict.findings.iter().filter(warned).map(|it| (it.code, &it.message)).collect();
            if !found.is_empty() || !verdict.is_accepted() {
                failures.push(format!("{name}: {sql} is right, found {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{told} of {wrong} told, {right} right:\n{}", failures.join("\n"));
    assert!(wrong >= 40 && right >= 30 && told * 10 >= wrong * 8, "{told} of {wrong} told, {right} right");
}
