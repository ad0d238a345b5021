//! A database with secrets of every kind, each recognised by a sign inside it, and everything that may bring one out.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{Catalog, Store};
use connect::{Connector, Limits};
use guard::{GuardError, Policy, PolicyConfig, SensitiveColumns, Unprofiled};
use privacy::Sensitivity;
use serde_json::{Value, json};

use crate::project::Project;
use crate::served::Served;

/// Inside every value of a column that is masked by its name.
pub(super) const NAMED: &str = "qn7f3a";
/// Inside every value of a column that is masked by its values.
pub(super) const VALUED: &str = "qv7f3a";
/// Inside every value of a column that a person has masked.
pub(super) const RULED: &str = "qp7f3a";
/// All of these.
pub(super) const SIGNS: &[&str] = &[NAMED, VALUED, RULED];

/// What brings secrets out of a catalog that lets it.
pub(super) const ASKING: [&str; 16] = [
    "SELECT email FROM people",
    "SELECT phone FROM people",
    "SELECT * FROM people",
    "SELECT c1 FROM letters",
    "SELECT c3 FROM letters",
    "SELECT * FROM letters",
    "SELECT max(c1) FROM letters",
    "SELECT x.c1 || '' FROM (SELECT * FROM letters) AS x",
    "SELECT note FROM notes",
    "SELECT * FROM notes",
    "SELECT note, count(*) FROM notes GROUP BY note",
    "SELECT e FROM contacts",
    "SELECT c FROM contacts",
    "SELECT remark FROM contacts",
    "SELECT * FROM contacts",
    "SELECT k1 FROM pad_1",
];
/// What may be asked.
pub(super) const OPEN: [&str; 2] = ["SELECT city FROM people", "SELECT title FROM items"];

const ROWS: usize = 40;
const PADS: usize = 24;

fn script() -> String {
    let mut script = "
        CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, phone TEXT, city TEXT);
        CREATE TABLE letters (id INTEGER PRIMARY KEY, c1 TEXT, status TEXT, c3 TEXT GENERATED ALWAYS AS (substr(c1, 1, 16)));
        CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT, kind TEXT);
        CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, price REAL);
        CREATE VIEW contacts AS SELECT p.id, p.email AS e, l.c1 AS c, n.note AS remark
            FROM people p JOIN letters l ON l.id = p.id JOIN notes n ON n.id = p.id;\n"
        .to_owned();
    for number in 0..ROWS {
        let (city, status) = (["Bonn", "Kiel", "Ulm"][number % 3], ["sent", "read"][number % 2]);
        script += &format!(
            "INSERT INTO people VALUES ({number}, 'ann{number}.{NAMED}@mail.example', '+49 30 2345{number} {NAMED}', '{city}');
             INSERT INTO letters VALUES ({number}, 'b{number}.{VALUED}@mail.example', '{status}');
             INSERT INTO notes VALUES ({number}, '{RULED} no {}', 'call');
             INSERT INTO items VALUES ({number}, 'lamp {number}', {number}.5);\n",
            number % 4
        );
    }
    // Enough tables for a run to be met in its middle.
    for pad in 0..PADS {
        script += &table_of_mail(&format!("pad_{pad}"));
    }
    script
}

/// A table with e-mail addresses under a name that says nothing.
pub(super) fn table_of_mail(name: &str) -> String {
    let rows = (0..ROWS).map(|number| format!("({number}, 'c{number}.{VALUED}@mail.example', {number})"));
    let rows = rows.collect::<Vec<_>>().join(", ");
    format!("CREATE TABLE {name} (id INTEGER PRIMARY KEY, k1 TEXT, n INTEGER); INSERT INTO {name} VALUES {rows};\n")
}

/// A project over it.
pub(super) struct World {
    pub(super) project: Project,
    connector: Box<dyn Connector>,
    runtime: tokio::runtime::Runtime,
}

impl World {
    /// Nothing has been indexed.
    pub(super) fn fresh() -> Self {
        Self::of(Project::over(&script()))
    }

    /// Indexed, `notes.note` masked by a person, indexed again, written as Markdown.
    pub(super) fn finished() -> Self {
        let world = Self::fresh();
        for command in [&["index"][..], &["mask", "notes.note"], &["index"], &["docs", "write"]] {
            let run = world.project.run(command);
            assert_eq!(run.code, 0, "{command:?}: {}{}", run.stdout, run.stderr);
        }
        world
    }

    pub(super) fn of(project: Project) -> Self {
        let connector = connect::connect("data", project.path("data.db").to_str().unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { project, connector, runtime }
    }

    /// The database, to be changed.
    pub(super) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.project.path("data.db")).unwrap()
    }

    pub(super) fn catalog_path(&self) -> PathBuf {
        self.project.path(".periplus/catalog.db")
    }

    /// What a statement comes to: rows, or the code of the error.
    pub(super) fn ask(&self, catalog: &Catalog, policy: &Policy, sql: &str) -> Result<String, String> {
        let limits = Limits::default();
        let asked = || self.runtime.block_on(guard::run(sql, catalog, self.connector.as_ref(), policy, &limits));
        match std::panic::catch_unwind(AssertUnwindSafe(asked)) {
            Ok(Ok(answer)) => Ok(format!("{:?}{:?}", answer.result, answer.verdict.findings)),
            Ok(Err(GuardError::Refused(verdict))) => {
                Err(format!("{:?} {:?}", verdict.findings[0].code, verdict.findings))
            }
            Ok(Err(error)) => Err(format!("{} {error:?}", error.code())),
            Err(_) => panic!("{sql} panics"),
        }
    }

    /// Holds every statement that may bring a secret out against the catalog in that file, under both settings, and says
    /// how many of the harmless ones were answered; `None` where the file can't be opened.
    pub(super) fn try_all(&self, path: &Path, signs: [&[&str]; 2], case: &str) -> Option<usize> {
        let opened = std::panic::catch_unwind(|| {
            let store = Store::open(path, Arc::new(Sensitivity::standard()))?;
            store.catalog()
        });
        let catalog = opened.unwrap_or_else(|_| panic!("reading panics after {case}")).ok()?;
        let [refusing, by_names] = policies();
        for (policy, signs, setting) in [(&refusing, signs[0], "refuse"), (&by_names, signs[1], "names")] {
            for sql in ASKING {
                let (Ok(said) | Err(said)) = self.ask(&catalog, policy, sql);
                no_secret(&said, signs, &format!("{sql} with unprofiled = \"{setting}\" after {case}"));
            }
        }
        let answered = OPEN.iter().filter(|sql| self.ask(&catalog, &refusing, sql).is_ok());
        Some(answered.count())
    }

    /// What a statement comes to by the catalog as it is now, under the default.
    pub(super) fn try_one(&self, sql: &str) -> String {
        let [refusing, _] = policies();
        let catalog = crate::project::store(&self.catalog_path()).catalog().unwrap();
        let (Ok(said) | Err(said)) = self.ask(&catalog, &refusing, sql);
        said
    }

    /// Runs the binary's commands and asks its server; nothing of it brings a secret out, panics or ends otherwise than
    /// with 0 or 1.
    pub(super) fn try_binary(&self, signs: &[&str], case: &str) {
        let commands: [&[&str]; 12] = [
            &["query", "SELECT * FROM people"],
            &["query", "SELECT c1 FROM letters"],
            &["query", "SELECT note FROM notes"],
            &["query", "SELECT * FROM contacts"],
            &["check", "SELECT c3 FROM letters"],
            &["search", "mail example note", "--top", "40"],
            &["link", "letters and notes of people", "--context"],
            &["status"],
            &["mask"],
            &["docs", "write"],
            &["--json", "query", "SELECT * FROM letters"],
            &["--json", "link", "letters and notes of people", "--context"],
        ];
        for command in commands {
            let run = self.project.run(command);
            let said = format!("{}{}", run.stdout, run.stderr);
            let case = format!("{command:?} after {case}");
            assert!([0, 1].contains(&run.code) && !said.contains("panicked"), "{case}: {} {said}", run.code);
            let has_code =
                run.code == 0 || said.contains("error[") || said.contains("refuse") || said.contains("\"code\"");
            assert!(has_code, "{case}: {said}");
            no_secret(&said, signs, &case);
        }
        for file in files_below(&self.project.path("catalog")) {
            no_secret(&String::from_utf8_lossy(&std::fs::read(&file).unwrap()), signs, &format!("{file:?}, {case}"));
        }
        self.try_server(signs, case);
    }

    fn try_server(&self, signs: &[&str], case: &str) {
        let mut served = Served::over(self.project.command(&["serve"]));
        if served.try_initialize().is_none() {
            return;
        }
        let tables = ["people", "letters", "notes", "contacts"];
        let described = tables.map(|table| ("describe_table", json!({"table": table})));
        let calls =
            [("list_tables", json!({})), ("search_context", json!({"query": "mail example note", "limit": 40}))];
        let read = ASKING.map(|sql| ("read_query", json!({"sql": sql, "source": "data"})));
        for (tool, arguments) in calls.into_iter().chain(described).chain(read) {
            let answer: Value = served.call(tool, &arguments);
            no_secret(&answer.to_string(), signs, &format!("{tool} {arguments} after {case}"));
        }
    }
}

/// The default, and `unprofiled = "names"`.
pub(super) fn policies() -> [Policy; 2] {
    [Unprofiled::Refuse, Unprofiled::Names]
        .map(|unprofiled| Policy::new(PolicyConfig { unprofiled, ..PolicyConfig::default() }).unwrap())
}

pub(super) fn no_secret(said: &str, signs: &[&str], case: &str) {
    let found = signs.iter().find(|sign| said.contains(**sign));
    let at = found.and_then(|sign| said.find(*sign)).unwrap_or_default();
    let around: String = said.chars().skip(at.saturating_sub(80)).take(200).collect();
    assert!(found.is_none(), "a secret comes out: {case}: {around}");
}

/// Every file below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for item in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = item.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

#[test]
fn the_secrets_are_there_and_nothing_undamaged_brings_them_out() {
    let world = World::finished();
    let catalog = crate::project::store(&world.catalog_path()).catalog().unwrap();
    let open = PolicyConfig { sensitive_columns: SensitiveColumns::Allow, ..PolicyConfig::default() };
    let open = Policy::new(open).unwrap();
    for sql in ASKING {
        let said = world.ask(&catalog, &open, sql).unwrap();
        assert!(SIGNS.iter().any(|sign| said.contains(sign)), "{sql} has no secret: {said}");
        for policy in policies() {
            let refused = world.ask(&catalog, &policy, sql).unwrap_err();
            assert!(refused.contains("masked_column"), "{sql}: {refused}");
        }
    }
    assert_eq!(world.try_all(&world.catalog_path(), [SIGNS, SIGNS], "nothing"), Some(OPEN.len()));
    world.try_binary(SIGNS, "nothing");
}
