//! Databases in which statements are tried: the specs' tables in a real engine, things beside them that wait to be
//! changed, and the state of all that.
//!
//! What is added (`databases/*.sql`) is there to be misused: sequences, triggers, functions that write, and views,
//! operators, casts and overloaded names that call them. Invariant: two states that are equal mean that nothing was
//! changed, in the database, in what new sessions see, or in the folder that everybody may write to.

mod changes;
mod clickhouse;
mod mysql;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catalog::{Catalog, Dialect, Entry, Source, Table, TableProfile};
use connect::{ConnectError, Connector, Limits, ResultSet, Value};
use guard::{Answer, GuardError, Policy};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testkit::load::{ClickhouseServer, DuckdbFiles, Loaded, MysqlServer, Place, PostgresServer, load};
use tokio::runtime::Runtime;

use crate::fixture::{Fixture, runtime};

/// What stands between the statements of a file.
pub(crate) const SEPARATOR: &str = "\n--§\n";

/// What is so, by name.
pub(crate) type State = BTreeMap<String, String>;

/// Makes a place to copy to from what the engine's variable holds.
type Reach = fn(&str) -> Box<dyn Place>;

/// An engine, and where it runs.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) dialect: &'static str,
    /// What names its server; `None` where it needs none.
    pub(crate) variable: Option<&'static str>,
    /// What is added to the specs' tables.
    added: &'static str,
    /// A query on the pool's session.
    session: &'static str,
    /// `None` where a file is made instead.
    place: Option<Reach>,
    /// Adds to the tables what introspection couldn't see.
    complete: fn(&mut Loaded, &mut [Table]),
    /// What the server says of the database; files are compared.
    state: fn(&mut Loaded) -> State,
}

pub(crate) const SQLITE: Engine = Engine {
    name: "SQLite",
    dialect: "sqlite",
    variable: None,
    added: include_str!("databases/sqlite.sql"),
    // The settings that a statement could leave behind can't be asked for, but these hang on them.
    session: "SELECT 'case matters', ('a' NOT LIKE 'A') UNION ALL SELECT 'temporary tables', count(*) FROM sqlite_temp_schema",
    place: None,
    complete: |_, _| {},
    state: |_| State::new(),
};

pub(crate) const POSTGRES: Engine = Engine {
    name: "PostgreSQL",
    dialect: "postgres",
    variable: Some("PERIPLUS_TEST_POSTGRES"),
    added: include_str!("databases/postgres.sql"),
    session: include_str!("databases/postgres_session.sql"),
    place: Some(|url| Box::new(PostgresServer::at(url))),
    complete: |_, _| {},
    state: |loaded| pairs(loaded.rows(include_str!("databases/postgres_state.sql"))),
};

pub(crate) const MARIADB: Engine = Engine {
    name: "MariaDB",
    dialect: "mysql",
    variable: Some("PERIPLUS_TEST_MYSQL"),
    added: include_str!("databases/mysql.sql"),
    session: mysql::SESSION,
    place: Some(|url| Box::new(MysqlServer::at(url))),
    complete: mysql::complete,
    state: mysql::state,
};

/// Its library has to be named to `connect` as well: by `PERIPLUS_DUCKDB_LIBRARY`.
pub(crate) const DUCKDB: Engine = Engine {
    name: "DuckDB",
    dialect: "duckdb",
    variable: Some("PERIPLUS_TEST_DUCKDB"),
    added: "CREATE SEQUENCE counter_seq",
    session: "SELECT concat('setting ', name), value FROM duckdb_settings()",
    place: Some(|library| Box::new(DuckdbFiles::by(library))),
    complete: |_, _| {},
    state: |_| State::new(),
};

pub(crate) const CLICKHOUSE: Engine = Engine {
    name: "ClickHouse",
    dialect: "clickhouse",
    variable: Some("PERIPLUS_TEST_CLICKHOUSE"),
    added: "CREATE TABLE events (event_id Int64, what String) ENGINE = MergeTree ORDER BY event_id",
    session: clickhouse::SESSION,
    place: Some(|url| Box::new(ClickhouseServer::at(url))),
    complete: |_, _| {},
    state: clickhouse::state,
};

/// A database of an engine, gone with the value.
pub(crate) struct Database {
    pub(crate) engine: &'static Engine,
    pub(crate) connector: Box<dyn Connector>,
    pub(crate) catalog: Catalog,
    pub(crate) runtime: Runtime,
    /// Where statements that write files are told to write them.
    outside: TempDir,
    /// Where the database is, if it is a file: no other files are there.
    folder: PathBuf,
    /// The SQLite file, of which the server's tables are a copy.
    fixture: Fixture,
    loaded: Option<Loaded>,
}

impl Database {
    /// `None` once the test has been named as skipped, where the engine's variable isn't set.
    pub(crate) fn of(engine: &'static Engine) -> Option<Self> {
        let server = match engine.variable {
            Some(variable) => Some(testkit::server_url(variable)?),
            None => None,
        };
        let mut fixture = Fixture::new();
        let added = engine.added.split(SEPARATOR);
        let mut loaded = None;
        if let (Some(server), Some(place)) = (server, engine.place) {
            let made = loaded.insert(load(place(&server), &fixture.path));
            if engine.dialect == MARIADB.dialect && !mysql::is_mariadb(made) {
                eprintln!("skipped: the server that `{}` names is not a MariaDB", MARIADB.variable.unwrap());
                return None;
            }
            added.for_each(|statement| made.execute(statement));
        } else {
            fixture.execute(added);
        }
        let dsn =
            loaded.as_ref().map_or_else(|| format!("sqlite:{}", fixture.path.display()), |it| it.dsn().to_owned());
        let file = dsn.strip_prefix("duckdb://").map_or(fixture.path.as_path(), Path::new);
        let folder = file.parent().unwrap().to_owned();
        let connector = connect::connect("spec", &dsn).unwrap();
        let runtime = runtime();
        let (catalog, outside) = (Catalog::default(), open_to_all());
        let mut database = Self { engine, connector, catalog, runtime, outside, folder, fixture, loaded };
        database.learn(|_| None);
        Some(database)
    }

    /// Makes the catalog anew: of the specs' tables with what is known of their values, of others with what `profile` says.
    pub(crate) fn learn(&mut self, profile: impl Fn(&Table) -> Option<TableProfile>) {
        let mut tables = self.runtime.block_on(self.connector.introspect()).unwrap();
        if let Some(loaded) = &mut self.loaded {
            (self.engine.complete)(loaded, &mut tables);
        }
        let profiles = self.fixture.profiles();
        let entries = tables.into_iter().map(|table| {
            let of_specs = profiles.iter().find(|profile| profile.table.name == table.id.name).cloned();
            let of_specs = of_specs.map(|profile| TableProfile {
                table: table.id.clone(),
                fingerprint: table.fingerprint(),
                ..profile
            });
            let profile = of_specs.or_else(|| profile(&table));
            Entry::bare(table).with_profile(profile)
        });
        let mut source = Source::new("spec", Dialect::from_name(self.engine.dialect), "");
        source.search_path = self.runtime.block_on(self.connector.search_path()).unwrap();
        source.functions = self.runtime.block_on(self.connector.added_functions()).unwrap();
        let catalog = Catalog::new(vec![source], entries.collect(), Vec::new(), 1);
        let lineage = guard::lineage(&catalog);
        self.catalog = catalog.with_lineage(&lineage);
    }

    /// What `connect` takes.
    pub(crate) fn dsn(&self) -> String {
        let file = || format!("sqlite:{}", self.fixture.path.display());
        self.loaded.as_ref().map_or_else(file, |loaded| loaded.dsn().to_owned())
    }

    /// Goes on as an account that may read this database and nothing more.
    pub(crate) fn read_by_another(&mut self, make: &[&str]) {
        make.iter().for_each(|statement| self.alter(statement));
        let dsn = self.dsn();
        let (scheme, rest) = dsn.split_once("://").unwrap();
        let address = rest.split_once('@').map_or(rest, |(_, address)| address);
        self.connector = connect::connect("spec", &format!("{scheme}://periplus_reader@{address}")).unwrap();
    }

    /// A folder that everybody may write to, the server too.
    pub(crate) fn outside(&self) -> &Path {
        self.outside.path()
    }

    /// The files beside the database and in the folder outside: all there is of an engine without a server.
    pub(crate) fn files(&self) -> State {
        let mut state = hashes(self.outside.path());
        state.extend(hashes(&self.folder));
        state
    }

    /// Everything.
    pub(crate) fn state(&mut self) -> State {
        let mut state = self.loaded.as_mut().map(self.engine.state).unwrap_or_default();
        state.extend(self.files());
        let session = self.session().into_iter();
        state.extend(session.map(|(what, value)| (format!("session: {what}"), value)));
        state
    }

    /// Does what somebody else may do, who owns the database.
    pub(crate) fn alter(&mut self, statement: &str) {
        let Some(loaded) = &mut self.loaded else {
            return self.fixture.execute([statement].into_iter());
        };
        // A file of DuckDB's that is open for reading can't be opened for writing, and is closed after some time.
        if self.engine.dialect == DUCKDB.dialect {
            std::thread::sleep(Duration::from_millis(2500));
        }
        loaded.execute(statement);
    }

    /// What the pool's session holds. Statements of tests run one at a time, so it is the session that they had.
    fn session(&self) -> State {
        let answer = self.unguarded(self.engine.session, &Limits { rows: 10_000, ..Limits::default() }).unwrap();
        let text = |value: &Value| match value {
            Value::Text(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(format!("{other:?}")),
        };
        pairs(answer.rows.iter().map(|row| row.iter().map(text).collect()).collect())
    }

    /// What is not as it was. A statement that was stopped a moment ago may still hold a lock, so it is asked again
    /// before that counts.
    pub(crate) fn differences(&mut self, before: &State) -> Vec<String> {
        let mut found = Vec::new();
        for _ in 0..5 {
            found = differences(before, &self.state());
            if found.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        found
    }

    /// Runs a statement as everybody has to.
    pub(crate) fn guarded(&self, sql: &str, policy: &Policy, limits: &Limits) -> Result<Answer, GuardError> {
        self.runtime.block_on(guard::run(sql, &self.catalog, self.connector.as_ref(), policy, limits))
    }

    /// Runs a statement with the guard switched off, to see what the engine does about it.
    #[expect(clippy::disallowed_methods, reason = "the engine is what is tried, with nothing before it")]
    pub(crate) fn unguarded(&self, sql: &str, limits: &Limits) -> Result<ResultSet, ConnectError> {
        self.runtime.block_on(async {
            let mut session = self.connector.open_statement(sql, &[], limits).await?;
            let ran = session.run().await;
            session.end().await;
            ran
        })
    }

    pub(crate) fn runs_on_a_server(&self) -> bool {
        self.loaded.is_some()
    }
}

/// Rows of a name and a value.
fn pairs(rows: Vec<Vec<Option<String>>>) -> State {
    let pair = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter().map(|cell| cell.unwrap_or_else(|| "nothing".to_owned()));
        Some((cells.next()?, cells.collect::<Vec<_>>().join(" ")))
    };
    rows.into_iter().filter_map(pair).collect()
}

fn differences(before: &State, after: &State) -> Vec<String> {
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let value = |state: &State, name: &String| state.get(name).cloned().unwrap_or_else(|| "not there".to_owned());
    names
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| format!("{name}: {} before, {} after", value(before, name), value(after, name)))
        .collect()
}

/// Far more than any statement of the tests needs.
pub(crate) const LARGE_STACK: usize = 64 << 20;

/// Runs a test on a thread of the same name with more stack than threads of tests have. A statement
/// of less than a kilobyte can need more than theirs to be parsed without optimisation, which is none of the questions
/// that are asked here.
pub(crate) fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let thread = std::thread::Builder::new().name(name).stack_size(LARGE_STACK).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn open_to_all() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    folder
}

/// A hash of every file in a folder, so that journals and new files count too.
fn hashes(folder: &Path) -> State {
    let entries = std::fs::read_dir(folder).unwrap();
    let hashed = entries.map(|entry| {
        let path: PathBuf = entry.unwrap().path();
        let hash = match std::fs::read(&path) {
            Ok(content) => Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect(),
            // Somebody else's file, which is enough of a difference.
            Err(error) => error.to_string(),
        };
        (format!("file {}", path.display()), hash)
    });
    hashed.collect()
}
