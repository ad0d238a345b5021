//! The examples on the pages of the rules (`docs/rules/`) are what the guard says of them, word for word.
//!
//! Each statement below a page's "Example" stands over the specs' tables (`specs/schema.sql`) and those of `pages/`, and
//! is followed by what `periplus check` prints of it; `PERIPLUS_UPDATE=1` writes that anew. Comments in front of a
//! statement set the scene:
//!
//! - `-- dialect: postgres`: as if the source spoke that; the engine isn't asked then.
//! - `-- guard.max_look_ups = 1`: a line of the configuration, with a value that is JSON's too.
//! - `-- rows: orders 40000`, `-- index: orders ordered_on`: what the catalog knows of a table.
//! - `-- schemas: contacts crm hr`: the table is in these schemas.
//! - `-- shown: orders`: the only table that the author was shown.
//! - `-- damaged: customers`: the table's masks are damaged in the catalog's file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{
    Catalog, Dialect, Entry, Exactness, Index, Mask, NoMaskRules, RowCount, Source, Store, Table, TableId, TableProfile,
};
use guard::{Decision, Policy, PolicyConfig, Severity, Verdict};

use crate::fixture::{Fixture, runtime, specs, usage};
use crate::specs::codes_found;

const SOURCE: &str = "shop";

/// Tables for single rules, and what was made after the catalog was.
const TABLES: &str = include_str!("pages/tables.sql");
const NEWER: &str = include_str!("pages/newer.sql");

/// Codes that no statement by itself brings about, and why.
const SHOWN_NOWHERE: [(&str, &str); 5] = [
    ("effect", "no effect is without a code of its own"),
    ("plan_unreadable", "takes a plan of 4,000,000 characters"),
    ("too_long", "takes a statement of a megabyte"),
    ("too_much_held", "takes a PostgreSQL with millions of rows"),
    ("unknown_growth", "takes an extension's function; see `policy.rs`"),
];

#[test]
fn examples_are_followed_by_what_the_guard_says() {
    let pages = Pages::new();
    let mut stale = Vec::new();
    for (rule, path) in rule_pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        let codes = codes_of(&text);
        let mut current = String::new();
        let mut examples = 0;
        for part in parts(&text) {
            let (statement, between) = match part {
                Part::Example { statement, between, .. } => (statement, between),
                Part::Other(text) => {
                    current.push_str(text);
                    continue;
                }
            };
            examples += 1;
            let scene = Scene::of(statement);
            let verdict = pages.judge(&scene);
            let is_own = verdict.findings.iter().any(|finding| codes.contains(finding.code));
            assert!(is_own || verdict.findings.is_empty(), "{rule}: {statement}{:?}", verdict.findings);
            write!(current, "```sql\n{statement}```{between}```text\n{}```\n", printed(&verdict)).unwrap();
        }
        assert!(examples > 0, "{rule}.md shows no statement with what is said of it");
        if current != text {
            stale.push(rule);
            if std::env::var_os("PERIPLUS_UPDATE").is_some() {
                std::fs::write(&path, current).unwrap();
            }
        }
    }
    assert!(
        stale.is_empty() || std::env::var_os("PERIPLUS_UPDATE").is_some(),
        "out of date: {stale:?}. Run the tests with PERIPLUS_UPDATE=1"
    );
}

#[test]
fn every_code_is_shown_on_its_page_or_in_a_spec() {
    let mut shown: BTreeSet<String> = codes_found().into_iter().map(str::to_owned).collect();
    let mut listed = BTreeSet::new();
    for (_, path) in rule_pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        listed.extend(codes_of(&text).into_iter().map(str::to_owned));
        for part in parts(&text) {
            let Part::Example { said, .. } = part else { continue };
            shown.extend(codes_said(said));
        }
    }
    let unshown: Vec<&String> = listed.difference(&shown).collect();
    let expected: Vec<&str> = SHOWN_NOWHERE.iter().map(|(code, _)| *code).collect();
    assert_eq!(unshown, expected);
}

/// What `periplus check` prints.
fn printed(verdict: &Verdict) -> String {
    let mut text = String::from(if verdict.decision == Decision::Accept { "accepted\n" } else { "refused\n" });
    for finding in &verdict.findings {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        };
        writeln!(text, "{severity}[{}]: {}", finding.code, finding.message).unwrap();
        let rewrite = finding.rewrite.as_deref().unwrap_or_default();
        for (word, said) in [("why", finding.why.as_str()), ("do", &finding.help), ("as", rewrite)] {
            if !said.is_empty() {
                writeln!(text, "  {word}: {said}").unwrap();
            }
        }
    }
    text
}

fn codes_said(said: &str) -> impl Iterator<Item = String> {
    said.lines().filter_map(|line| {
        let (severity, rest) = line.split_once('[')?;
        ["error", "warning", "hint"].contains(&severity).then(|| rest.split(']').next().unwrap_or_default().to_owned())
    })
}

/// The pages of the rules, by the rules' names.
fn rule_pages() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules");
    let paths = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.map(|path| (name(&path), path)).filter(|(name, _)| name != "README").collect()
}

/// The codes in a page's table of codes.
fn codes_of(page: &str) -> BTreeSet<&str> {
    let section = page.split("\n## ").find(|section| section.starts_with("Codes")).unwrap_or_default();
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

/// A stretch of a page.
enum Part<'p> {
    Other(&'p str),
    /// A statement with what is said of it, and what stands between the two blocks.
    Example {
        statement: &'p str,
        between: &'p str,
        said: &'p str,
    },
}

/// The whole page, in order: all blocks of the section of examples are statements, each with what is said of it.
fn parts(page: &str) -> Vec<Part<'_>> {
    let Some(begins) = page.find("\n## Example") else { return vec![Part::Other(page)] };
    let (before, rest) = page.split_at(begins + 1);
    let (mut section, after) = rest.split_at(rest.find("\n## ").map_or(rest.len(), |at| at + 1));
    let mut parts = vec![Part::Other(before)];
    while let Some((other, block)) = section.split_once("```sql\n") {
        assert!(!other.contains("```"), "a block of a section of examples is no statement: {other}");
        let (statement, rest) = block.split_once("```").unwrap();
        let (between, rest) = rest.split_once("```text\n").unwrap_or_else(|| panic!("nothing is said of {statement}"));
        assert!(!between.contains("```"), "nothing is said of {statement}");
        let (said, rest) = rest.split_once("```\n").unwrap();
        parts.extend([Part::Other(other), Part::Example { statement, between, said }]);
        section = rest;
    }
    assert!(!section.contains("```"), "a block of a section of examples is no statement: {section}");
    parts.extend([Part::Other(section), Part::Other(after)]);
    parts
}

/// A statement, and what is so when it is asked.
#[derive(Default)]
struct Scene<'p> {
    dialect: Option<Dialect>,
    policy: serde_json::Map<String, serde_json::Value>,
    /// The words of a key.
    tables: BTreeMap<&'p str, Vec<&'p str>>,
    sql: &'p str,
}

impl<'p> Scene<'p> {
    fn of(block: &'p str) -> Self {
        let mut scene = Self { sql: block, ..Self::default() };
        while let Some((line, rest)) = scene.sql.split_once('\n') {
            let Some(line) = line.strip_prefix("-- ") else { break };
            if let Some((key, value)) = line.strip_prefix("guard.").and_then(|line| line.split_once(" = ")) {
                scene.policy.insert(key.to_owned(), serde_json::from_str(value).unwrap());
            } else if let Some(name) = line.strip_prefix("dialect: ") {
                scene.dialect = Some(Dialect::from_name(name));
            } else {
                let (key, words) = line.split_once(": ").unwrap_or_else(|| panic!("`{line}` sets no scene"));
                scene.tables.insert(key, words.split(' ').collect());
            }
            scene.sql = rest;
        }
        scene.sql = scene.sql.trim_end();
        scene
    }

    fn policy(&self) -> Policy {
        let config: PolicyConfig = serde_json::from_value(self.policy.clone().into()).unwrap();
        Policy::new(config).unwrap()
    }
}

/// The database of the pages.
struct Pages {
    fixture: Fixture,
}

impl Pages {
    fn new() -> Self {
        let schema = std::fs::read_to_string(specs().join("schema.sql")).unwrap();
        let mut fixture = Fixture::of_source(SOURCE, &format!("{schema}\n{TABLES}"));
        fixture.execute(std::iter::once(NEWER));
        Self { fixture }
    }

    fn judge(&self, scene: &Scene<'_>) -> Verdict {
        let catalog = self.catalog(scene);
        let policy = scene.policy();
        if let Some(shown) = scene.tables.get("shown") {
            let shown: Vec<TableId> = shown.iter().map(|name| TableId::new(SOURCE, *name)).collect();
            return guard::check(scene.sql, &catalog, SOURCE, &policy, Some(&shown));
        }
        if scene.dialect.is_some() {
            return guard::check(scene.sql, &catalog, SOURCE, &policy, None);
        }
        let connector = self.fixture.connector();
        runtime().block_on(guard::verify(scene.sql, &catalog, connector.as_ref(), &policy)).unwrap()
    }

    fn catalog(&self, scene: &Scene<'_>) -> Catalog {
        let dialect = scene.dialect.clone().unwrap_or(Dialect::Sqlite);
        let source = Source::new(SOURCE, dialect, "");
        let mut tables: Vec<(Table, TableProfile)> =
            self.fixture.tables.iter().cloned().zip(self.fixture.profiles()).collect();
        for (_, profile) in &mut tables {
            profile.profiled_at = "2026-06-30T12:00:00Z".parse().unwrap();
            for column in profile.columns.iter_mut().filter(|column| column.masked.is_some()) {
                column.masked = Some(Mask::by_values(format!("name matches `{}`", column.column)));
            }
        }
        for (&key, words) in &scene.tables {
            let at = tables.iter().position(|(table, _)| table.id.name == words[0]).unwrap();
            let table = &mut tables[at].0;
            match key {
                "rows" => {
                    let value = words[1].parse().unwrap();
                    table.row_count = Some(RowCount { value, exactness: Exactness::Exact });
                }
                "index" => table.indexes.push(Index {
                    name: "by_it".to_owned(),
                    columns: words[1..].iter().map(|&name| name.to_owned()).collect(),
                    unique: false,
                }),
                "schemas" => {
                    let (table, profile) = tables.remove(at);
                    for schema in &words[1..] {
                        let id = TableId { schema: Some((*schema).to_owned()), ..table.id.clone() };
                        let table = Table { id: id.clone(), ..table.clone() };
                        tables.push((table, TableProfile { table: id, ..profile.clone() }));
                    }
                }
                "shown" => {}
                "damaged" => return damaged(&source, &tables, words[0]),
                _ => panic!("`{key}` sets no scene"),
            }
        }
        let entries = tables.into_iter().map(|(table, profile)| Entry::bare(table).with_profile(profile));
        Catalog::new(vec![source], entries.collect(), Vec::new(), 1).with_usage(usage(SOURCE))
    }
}

/// The catalog of a file in which the masks of one table have been changed.
fn damaged(source: &Source, tables: &[(Table, TableProfile)], name: &str) -> Catalog {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    let store = Store::open(&path, Arc::new(NoMaskRules)).unwrap();
    store.put_source(source).unwrap();
    store.put_structure(SOURCE, &tables.iter().map(|(table, _)| table.clone()).collect::<Vec<_>>()).unwrap();
    for (table, profile) in tables {
        store.put_profiled(table, profile).unwrap();
    }
    let change = format!("UPDATE masks SET body = '{{}}' WHERE table_id LIKE '%{name}%'");
    rusqlite::Connection::open(&path).unwrap().execute_batch(&change).unwrap();
    store.catalog().unwrap()
}
