//! Every engine gives what SQLite gives: the shop is copied into each, indexed, asked and queried, and compared.
//!
//! SQLite is the reference because it needs no server. What may differ is written down in [`engines`], with the reason;
//! the outcome of each check goes into `docs/reference/engines.md`, which is compared with every run and written anew
//! under `PERIPLUS_UPDATE=1`. An engine runs where its variable is set, and is skipped by name elsewhere; its column
//! then stays as it is.
//!
//! Invariant: a difference that nobody has given a reason for fails the test, whatever the page says.

mod engines;
mod forms;
mod page;
mod profiles;
mod results;
mod structure;
mod truth;
mod values;
mod verdicts;

use std::cell::RefCell;
use std::collections::HashMap;

use catalog::{Catalog, Entry};
use serde_json::Value;
use testkit::load::load;

use crate::project::Project;
use engines::{ENGINES, Engine};
use truth::Truth;

/// An indexed shop.
struct World {
    project: Project,
    catalog: Catalog,
    /// What commands have printed: every engine asks the reference the same.
    printed: RefCell<HashMap<String, Value>>,
}

impl World {
    /// `init` and `index` on the database, without a model.
    fn indexed(dsn: &str) -> Self {
        let project = Project::new();
        let made = project.run(&["init", dsn, "--name", "shop"]);
        assert_eq!(made.code, 0, "{dsn}: {}", made.stderr);
        let configuration = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
        let id = configuration.find("id = ").map(|at| configuration[at..].lines().next().unwrap()).unwrap();
        let configuration = format!("[[sources]]\n{id}\ndsn = {dsn:?}\n");
        project.write("periplus.toml", &format!("{configuration}\n[model]\nprovider = \"none\"\n"));
        let indexed = project.run(&["index"]);
        assert_eq!(indexed.code, 0, "{dsn}: {}{}", indexed.stdout, indexed.stderr);
        let catalog = crate::project::store(&project.path(".periplus/catalog.db")).catalog().unwrap();
        Self { project, catalog, printed: RefCell::default() }
    }

    /// The tables by their bare names: some engines put them in schemas.
    fn tables(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.catalog.tables_of("shop").map(|entry| (entry.table.id.name.as_str(), entry))
    }

    fn table(&self, name: &str) -> Option<&Entry> {
        self.tables().find(|(found, _)| *found == name).map(|(_, entry)| entry)
    }

    /// What a command prints as JSON.
    fn json(&self, arguments: &[&str]) -> Value {
        let mut printed = self.printed.borrow_mut();
        printed.entry(arguments.join(" ")).or_insert_with(|| self.project.json(arguments).1).clone()
    }

    /// A text without the schemas that stand before the names of tables.
    fn without_schemas(&self, text: &str) -> String {
        let mut schemas: Vec<&str> = self.tables().filter_map(|(_, entry)| entry.table.id.schema.as_deref()).collect();
        schemas.dedup();
        schemas.iter().fold(text.to_owned(), |text, schema| text.replace(&format!("{schema}."), ""))
    }
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq)]
struct Difference {
    /// What it is about: `orders.status`.
    subject: String,
    reference: String,
    found: String,
}

/// What came of one comparison.
struct Check {
    section: &'static str,
    name: String,
    /// Without what the tolerance allows.
    differences: Vec<Difference>,
    /// What was allowed, where anything was.
    tolerance: Option<&'static str>,
}

impl Check {
    fn of(section: &'static str, name: impl Into<String>) -> Self {
        Self { section, name: name.into(), differences: Vec::new(), tolerance: None }
    }

    /// Notes a difference, unless there is none.
    fn compare(&mut self, subject: &str, reference: impl ToString, found: impl ToString) {
        let (reference, found) = (reference.to_string(), found.to_string());
        if reference != found {
            self.differences.push(Difference { subject: subject.to_owned(), reference, found });
        }
    }

    /// What goes into the page, and the differences that have no reason.
    fn outcome(&self, engine: &Engine) -> (String, Vec<Difference>) {
        let mut reasons: Vec<&str> = Vec::new();
        let mut unexplained = Vec::new();
        for difference in &self.differences {
            match engine.reason(&self.name, difference) {
                Some(reason) if reasons.contains(&reason) => {}
                Some(reason) => reasons.push(reason),
                None => unexplained.push(difference.clone()),
            }
        }
        let tolerance = self.tolerance.map(|tolerance| format!("within tolerance: {tolerance}"));
        let design = (!reasons.is_empty()).then(|| format!("differs by design: {}", reasons.join("; ")));
        let parts: Vec<String> = tolerance.into_iter().chain(design).collect();
        (if parts.is_empty() { "same".to_owned() } else { parts.join("; ") }, unexplained)
    }
}

/// All checks of an engine, in the order of the page.
fn checks(reference: &World, found: &World, engine: &Engine, left_out: &[String], truth: &Truth) -> Vec<Check> {
    let mut copied = Check::of("Structure", "the shop is there as a whole");
    for what in left_out {
        copied.compare(what, "there", "left out");
    }
    let mut checks = vec![copied];
    checks.extend(structure::checks(reference, found));
    checks.extend(profiles::checks(reference, found, truth));
    checks.extend(verdicts::checks(reference, found, engine));
    checks.extend(values::checks(reference, found));
    checks.extend(results::checks(reference, found));
    checks
}

#[test]
fn every_engine_gives_what_sqlite_gives() {
    let mut reference = None;
    let mut outcomes = page::Outcomes::default();
    let mut unexplained = Vec::new();
    for engine in ENGINES {
        let Some(server) = testkit::server_url(engine.variable) else { continue };
        let (reference, truth) = reference.get_or_insert_with(|| {
            let path = testkit::shop();
            (World::indexed(&format!("sqlite:{}", path.display())), Truth::of(path))
        });
        let copy = load((engine.place)(&server), testkit::shop());
        let found = World::indexed(copy.dsn());
        for check in checks(reference, &found, engine, copy.left_out(), truth) {
            let (outcome, differences) = check.outcome(engine);
            for Difference { subject, reference, found } in differences {
                let (engine, name) = (engine.name, &check.name);
                unexplained.push(format!("{engine}, {name}: {subject}: {reference} in SQLite, {found} there"));
            }
            outcomes.add(engine.name, check.section, &check.name, outcome);
        }
        let disagreements = engine.forms.map(|file| forms::disagreements(&found, file)).unwrap_or_default();
        unexplained.extend(disagreements.iter().map(|it| format!("{}, its own SQL: {it}", engine.name)));
    }
    assert!(unexplained.is_empty(), "{} differences:\n{}", unexplained.len(), unexplained.join("\n"));
    page::compare(&outcomes);
}
