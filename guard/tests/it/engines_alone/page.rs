//! `docs/reference/engines-alone.md`: a row for each class of statements, a column for each engine.
//!
//! Invariant: the column of an engine that didn't run stays as it is stored.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::{ENGINES, TIME_LIMIT};

const INTRODUCTION: &str = "\
# Engines alone

<!-- Generated: edit guard/tests/it/engines_alone/. -->

The guard refuses every statement that is counted here, before a database sees it. This page is for the case that it
didn't: the statements of the specs by which a database is kept unchanged are sent past the guard, straight to the
connection that Periplus has made to each engine, as a role that may do everything. After them everything is as it was:
rows, definitions, sequences, settings, locks, roles, and the folders that the statements name. That is said of these
statements only: functions of a superuser, such as `dblink_exec` and `lo_export` of PostgreSQL, reach out of the
transaction in which nothing can be written.

- *Refused*: by the connection or by the engine, because the statement does more than read, is more than one, or makes a
  value that is too large.
- *Failed*: the engine doesn't know the syntax or a name in it, or came to an error while it ran. What is written for SQLite is
  tried on all engines, so much of it is foreign to them.
";

/// What the rest of the page says of the outcomes, with the time limit.
fn of_the_others() -> String {
    let limit = TIME_LIMIT.as_secs();
    format!(
        "- *Stopped by the time limit*, here {limit} s: it would have gone on. Statements that ask for a lot may come to \
         their end before that on\n  one machine and not on another, so these two are counted together for them.\n\
         - *Ran and changed nothing*: what it reads may still be nobody's business, such as settings, password hashes, or files of a\n  \
         server whose role may read them. That is why the guard comes first, and why the role should be one that can only read.\n"
    )
}

/// The outcome of a class that is not in an engine's dialect, or that an engine hasn't gone through.
const NONE: &str = "–";

/// What came of the classes, by engine and class.
#[derive(Default)]
pub(super) struct Outcomes(BTreeMap<(String, String), String>);

impl Outcomes {
    pub(super) fn add(&mut self, engine: &str, class: &str, outcome: String) {
        self.0.insert((engine.to_owned(), class.to_owned()), outcome);
    }

    fn has_run(&self, engine: &str) -> bool {
        self.0.keys().any(|(ran, _)| ran == engine)
    }

    /// The outcomes that the page holds.
    fn stored(page: &str) -> Self {
        let mut stored = Self::default();
        let mut engines: Vec<String> = Vec::new();
        for line in page.lines() {
            let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
            let mut cells = cells.split(" | ").map(str::to_owned);
            match cells.next() {
                Some(first) if first == "statements" => engines = cells.collect(),
                Some(class) => {
                    let class = class.trim_start_matches('[').split(']').next().unwrap_or_default().to_owned();
                    for (engine, outcome) in engines.iter().zip(cells) {
                        stored.add(engine, &class, outcome);
                    }
                }
                None => {}
            }
        }
        stored
    }

    fn page(&self, stored: &Self, classes: &[&str]) -> String {
        let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        let rule = "|---".repeat(names.len());
        let mut page = format!("{INTRODUCTION}{}", of_the_others());
        write!(page, "\n| statements | {} |\n|---{rule}|\n", names.join(" | ")).unwrap();
        for class in classes {
            let cells: Vec<&str> = names
                .iter()
                .map(|name| {
                    let from = if self.has_run(name) { self } else { stored };
                    from.0.get(&((*name).to_owned(), (*class).to_owned())).map_or(NONE, String::as_str)
                })
                .collect();
            writeln!(page, "| [{class}](../../guard/tests/specs/{class}.sql) | {} |", cells.join(" | ")).unwrap();
        }
        page
    }
}

/// Compares the page with what has just been found, or writes it.
pub(super) fn compare(outcomes: &Outcomes, classes: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/engines-alone.md");
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let page = outcomes.page(&Outcomes::stored(&stored), classes);
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        std::fs::write(&path, page).unwrap();
        return;
    }
    let place = "docs/reference/engines-alone.md";
    for (line, (expected, found)) in stored.lines().zip(page.lines()).enumerate() {
        assert_eq!(expected, found, "{place}, line {}: run the tests with PERIPLUS_UPDATE=1", line + 1);
    }
    assert!(stored == page, "{place} is out of date: run the tests with PERIPLUS_UPDATE=1");
}
