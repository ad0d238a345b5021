//! Real files of every awkward kind, read through the public trait.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catalog::{Exactness, Table, TableKind};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::promises::{run, table};
use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Connector, Limits, SampleRequest, Value, connect};

/// A database made by `sql`, in a folder that is gone with the value.
struct Made {
    _folder: TempDir,
    path: PathBuf,
}

impl Made {
    fn with(sql: &str) -> Self {
        let made = Self::folder();
        Connection::open(&made.path).unwrap().execute_batch(sql).unwrap();
        made
    }

    fn with_bytes(bytes: &[u8]) -> Self {
        let made = Self::folder();
        std::fs::write(&made.path, bytes).unwrap();
        made
    }

    fn folder() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("it's a tést #1?.db");
        Self { _folder: folder, path }
    }

    fn connector(&self) -> Box<dyn Connector> {
        connect("s", self.path.to_str().unwrap()).unwrap()
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    }
}

fn names(tables: &[Table]) -> Vec<&str> {
    tables.iter().map(|table| table.id.name.as_str()).collect()
}

#[tokio::test]
async fn a_missing_file_is_reported_with_its_neighbours_and_never_made() {
    let made = Made::with("CREATE TABLE t (a)");
    let missing = made.path.with_file_name("shop.db");
    let error = connect("s", missing.to_str().unwrap()).unwrap_err();
    assert_eq!(error.code(), "missing_file");
    assert!(error.hints()[0].contains("it's a tést #1?.db"), "{:?}", error.hints());
    assert!(!missing.exists());
}

#[tokio::test]
async fn what_is_not_a_database_is_told_from_one() {
    let text = Made::with_bytes(b"id,name\n1,ann\n");
    assert_eq!(connect("s", text.path.to_str().unwrap()).unwrap_err().code(), "not_a_database");
    let folder = text.path.parent().unwrap().to_str().unwrap().to_owned();
    assert_eq!(connect("s", &folder).unwrap_err().code(), "not_a_file");
}

#[tokio::test]
async fn an_empty_file_and_an_empty_database_have_no_tables() {
    for made in [Made::with_bytes(b""), Made::with("CREATE TABLE t (a); DROP TABLE t;")] {
        assert_eq!(made.connector().introspect().await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_database_locked_by_a_writer_is_reported_in_time() {
    let made = Made::with("CREATE TABLE t (a); INSERT INTO t VALUES (1);");
    let connector = made.connector();
    let writer = Connection::open(&made.path).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2);").unwrap();
    let limits = Limits { timeout: Duration::from_millis(200), ..Limits::default() };
    let error = connector.run_query("SELECT * FROM t", &limits).await.unwrap_err();
    assert_eq!(error.code(), "database_busy");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(run(&*connector, "SELECT * FROM t").await.unwrap().rows.len(), 2);
}

/// A link that leads nowhere stops SQLite as a folder does that can't be written, also when root runs the test.
#[cfg(unix)]
fn make_unopenable(path: &Path) {
    std::os::unix::fs::symlink(path.join("nowhere"), path).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_wal_database_is_read_where_no_file_can_be_made_beside_it() {
    let made = Made::with("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7);");
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(made.beside(ending));
    }
    make_unopenable(&made.beside("-shm"));
    let result = run(&*made.connector(), "SELECT a FROM t").await.unwrap();
    assert_eq!(result.rows, [[Value::Integer(7)]]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_wal_with_pending_content_that_cannot_be_read_is_an_error_and_not_an_old_answer() {
    let made = Made::with("PRAGMA journal_mode = WAL; CREATE TABLE t (a);");
    std::fs::write(made.beside("-wal"), [1; 64]).unwrap();
    make_unopenable(&made.beside("-shm"));
    let error = run(&*made.connector(), "SELECT a FROM t").await.unwrap_err();
    assert_eq!(error.code(), "open_failed");
}

#[tokio::test]
async fn a_damaged_file_is_called_damaged() {
    let made = Made::with(
        "CREATE TABLE t (a TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         INSERT INTO t SELECT printf('value %d', i) FROM n;",
    );
    let mut bytes = std::fs::read(&made.path).unwrap();
    let length = bytes.len();
    // Past the first page, which holds the schema.
    bytes[4096..length].fill(0xEE);
    std::fs::write(&made.path, bytes).unwrap();
    let connector = made.connector();
    let table = table(&*connector, "t").await;
    let request = SampleRequest::FirstRows { rows: 10_000 };
    let error = connector.sample(&table, &["a".to_owned()], &request).await.unwrap_err();
    assert_eq!(error.code(), "database_corrupt");
    assert_eq!(run(&*connector, "SELECT max(a) FROM t").await.unwrap_err().code(), "database_corrupt");
}

#[tokio::test]
async fn a_cell_of_20_mb_is_measured_and_not_fetched() {
    let made = Made::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b BLOB);
         INSERT INTO t VALUES (1, replace(hex(zeroblob(10000000)), '0', 'x'), zeroblob(20000000)), (2, 'small', x'00ff');
         INSERT INTO t VALUES (3, replace(hex(zeroblob(5000)), '0', 'y'), NULL);",
    );
    let connector = made.connector();
    let table = table(&*connector, "t").await;
    let columns = ["a".to_owned(), "b".to_owned()];
    let sample = connector.sample(&table, &columns, &SampleRequest::FirstRows { rows: 10 }).await.unwrap();
    assert_eq!(sample.rows[0], [Value::Bytes(20_000_000), Value::Bytes(20_000_000)]);
    assert_eq!(sample.rows[1], [Value::Text("small".into()), Value::Bytes(2)]);
    assert_eq!(sample.rows[2], [Value::Text("y".repeat(4096)), Value::Null]);
    let result = run(&*connector, "SELECT a FROM t ORDER BY id").await.unwrap();
    assert_eq!(result.rows[0], [Value::Text("x".repeat(4096))]);
    assert_eq!(result.truncated.as_deref(), Some("cells cut at 4096 characters"));
}

#[tokio::test]
async fn any_name_can_be_a_table_or_a_column() {
    let made = Made::with(
        "CREATE TABLE \"select\" (\"a \"\"b\"\"\" INTEGER, \"🦀 Größe\" TEXT, \"order\" TEXT, [group by] TEXT, \"x'y\" TEXT);
         INSERT INTO \"select\" VALUES (1, 'groß', 'o', 'g', 'q');
         CREATE TABLE \"a.b; DROP TABLE t\" (\"rowid\" TEXT, \"Ä\" TEXT, \"ä\" TEXT);
         INSERT INTO \"a.b; DROP TABLE t\" VALUES ('r', 'upper', 'lower');",
    );
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    assert_eq!(names(&tables), ["a.b; DROP TABLE t", "select"]);
    for (table, expected) in tables.iter().zip([vec!["r", "upper", "lower"], vec!["1", "groß", "o", "g", "q"]]) {
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        for request in [SampleRequest::FirstRows { rows: 5 }, SampleRequest::FirstAndLast { each: 1, order_by: None }] {
            let sample = connector.sample(table, &columns, &request).await.unwrap();
            let row: Vec<String> = sample.rows[0].iter().filter_map(Value::as_text).collect();
            assert_eq!(row, expected);
        }
        let found = connector.contains(table, &columns[1], &[Value::Text(expected[1].to_owned())]).await.unwrap();
        assert_eq!(found, 1);
        let range = connector.lookup_columns(table).await.unwrap();
        assert_eq!(range.len(), 1, "{range:?}");
        assert_eq!(
            connector.key_range(table, &range[0].name).await.unwrap(),
            Some((Value::Integer(1), Value::Integer(1)))
        );
    }
}

#[tokio::test]
async fn a_broken_view_is_listed_and_fails_alone() {
    let made = Made::with(
        "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1);
         CREATE VIEW good (x) AS SELECT a + 1 FROM t;
         CREATE TABLE gone (a); CREATE VIEW bad AS SELECT a FROM gone; DROP TABLE gone;
         CREATE VIRTUAL TABLE tree USING rtree(id, low, high);",
    );
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    assert_eq!(names(&tables), ["bad", "good", "t", "tree"]);
    // Its module prepares to write as soon as it is looked at.
    assert_eq!((tables[3].columns.len(), connector.row_count(&tables[3]).await.is_err()), (0, true));
    assert_eq!((tables[0].kind.clone(), tables[0].columns.len()), (TableKind::View, 0));
    let error = connector.row_count(&tables[0]).await.unwrap_err();
    assert_eq!(error.code(), "statement_failed");
    assert!(error.to_string().contains("gone"), "{error}");
    assert_eq!(tables[1].definition.as_deref(), Some("SELECT a + 1 FROM t"));
    assert_eq!(connector.row_count(&tables[1]).await.unwrap().unwrap().value, 1);
}

#[tokio::test]
async fn the_last_write_is_told_also_from_the_wal() {
    let made = Made::with("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER)");
    let connector = made.connector();
    let before = connector.changed_at();
    // Reading changes nothing.
    connector.introspect().await.unwrap();
    assert_eq!(connector.changed_at(), before);
    let main_file = || crate::files::changed_at(&std::fs::metadata(&made.path).unwrap());
    let writer = Connection::open(&made.path).unwrap();
    writer.execute_batch("INSERT INTO t VALUES (1)").unwrap();
    assert_eq!(main_file(), before, "the row is in the -wal file");
    assert!(connector.changed_at() > before);
}

#[tokio::test]
async fn a_file_that_keeps_the_date_of_its_original_has_changed_all_the_same() {
    let made = Made::with("CREATE TABLE t (a INTEGER)");
    let connector = made.connector();
    let before = connector.changed_at();
    std::thread::sleep(Duration::from_millis(20));
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&made.path).unwrap().set_modified(long_ago).unwrap();
    assert!(connector.changed_at() > before);
}

#[tokio::test]
async fn another_file_in_its_place_is_read_from_then_on() {
    let made = Made::with("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)");
    let other = Made::with("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)");
    let copied = Made::with("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (7), (8), (9)");
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    let count = async || connector.row_count(&tables[0]).await.unwrap().unwrap().value;
    assert_eq!(count().await, 1);
    std::fs::rename(&other.path, &made.path).unwrap();
    assert_eq!(count().await, 2);
    // Each has been written to as often, by which SQLite would tell them apart.
    std::fs::copy(&copied.path, &made.path).unwrap();
    assert_eq!(count().await, 3);
}

#[tokio::test]
async fn structure_is_read_as_it_was_declared() {
    let made = Made::with(
        "CREATE TABLE Parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE) STRICT;
         CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
         CREATE TABLE child (
             parent INTEGER NOT NULL REFERENCES PARENT, -- who it belongs to
             code TEXT REFERENCES Parent (CODE),
             x TEXT, y TEXT DEFAULT 'why',
             status TEXT CHECK (status IN ('open', 'closed')),
             twice INTEGER GENERATED ALWAYS AS (parent * 2) STORED,
             up TEXT AS (upper(code)) VIRTUAL,
             nowhere INTEGER REFERENCES missing (id),
             wrong INTEGER REFERENCES Parent (missing),
             FOREIGN KEY (x, y) REFERENCES pair
         );
         CREATE INDEX child_lower ON child (lower(x), y DESC);
         CREATE UNIQUE INDEX child_open ON child (parent) WHERE status = 'open';
         CREATE VIRTUAL TABLE notes USING fts5 (body);
         INSERT INTO notes VALUES ('hello world');",
    );
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    assert_eq!(names(&tables), ["Parent", "child", "notes", "pair"]);
    let [parent, child, notes, pair] = &tables[..] else { panic!() };
    assert_eq!(pair.primary_key, ["b", "a"]);
    assert!(pair.columns.iter().all(|column| !column.nullable));
    assert!(!parent.columns[0].nullable && parent.columns[1].nullable);
    assert_eq!(notes.kind, TableKind::Other("virtual table".into()));
    assert_eq!(connector.row_count(notes).await.unwrap().unwrap().value, 1);

    let keys: Vec<String> = child
        .foreign_keys
        .iter()
        .map(|key| format!("{}->{}({})", key.columns.join(","), key.ref_table.name, key.ref_columns.join(",")))
        .collect();
    assert_eq!(keys, ["parent->Parent(id)", "code->Parent(code)", "x,y->pair(b,a)"]);
    let column = |name: &str| child.column(name).unwrap();
    assert_eq!(column("status").enum_values, ["open", "closed"]);
    assert_eq!(column("parent").comment.as_deref(), Some("who it belongs to"));
    assert_eq!(column("y").default.as_deref(), Some("'why'"));
    assert!(child.column("twice").is_some() && child.column("up").is_some());
    let indexes: Vec<String> = child
        .indexes
        .iter()
        .map(|index| {
            format!("{}({}){}", index.name, index.columns.join("; "), if index.unique { " unique" } else { "" })
        })
        .collect();
    assert_eq!(indexes, ["child_lower(lower(x); y)", "child_open(parent)"]);
    assert_eq!(connector.introspect().await.unwrap(), tables, "the same in every run");
}

#[tokio::test]
async fn a_virtual_table_names_the_tables_that_it_shows() {
    let made = Made::with(
        "CREATE TABLE letters (id INTEGER PRIMARY KEY, body TEXT);
         CREATE VIRTUAL TABLE found USING fts5 (body, letters, content='letters', content_rowid='id');
         CREATE VIRTUAL TABLE notes USING fts5 (letters);
         CREATE VIRTUAL TABLE words USING fts5vocab ('found', 'row');",
    );
    let tables = made.connector().introspect().await.unwrap();
    let read = |table: &Table| table.reads_from.iter().map(|id| id.name.clone()).collect::<Vec<_>>().join(",");
    let read: Vec<String> = tables.iter().map(|table| format!("{}<{}", table.id.name, read(table))).collect();
    assert_eq!(read, ["found<letters", "letters<", "notes<", "words<found"]);
}

#[tokio::test]
async fn odd_values_survive() {
    let made = Made::with(
        "CREATE TABLE t (a);
         INSERT INTO t VALUES (9e999), (-9e999), (CAST(x'ff41' AS TEXT)), (x'0102'), (NULL), (9223372036854775807), (0.5);",
    );
    let connector = made.connector();
    let expected = [
        Value::Real(f64::INFINITY),
        Value::Real(f64::NEG_INFINITY),
        Value::Text("\u{FFFD}A".into()),
        Value::Bytes(2),
        Value::Null,
        Value::Integer(i64::MAX),
        Value::Real(0.5),
    ];
    let table = table(&*connector, "t").await;
    let sample = connector.sample(&table, &["a".into()], &SampleRequest::FirstRows { rows: 10 }).await.unwrap();
    let result = run(&*connector, "SELECT a FROM t").await.unwrap();
    for found in [sample, result] {
        assert_eq!(found.rows.concat(), expected);
    }
}

#[tokio::test]
async fn the_engine_refuses_what_is_not_reading() {
    let made = Made::with("CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE INDEX t_a ON t (a);");
    let before = std::fs::read(&made.path).unwrap();
    let other = made.path.with_file_name("other.db");
    for sql in [
        "INSERT INTO t VALUES (2)",
        "UPDATE t SET a = 2",
        "DELETE FROM t",
        "DROP TABLE t",
        "CREATE TABLE u (a)",
        "CREATE TEMP TABLE u (a)",
        "CREATE TEMP VIEW u AS SELECT 1",
        "CREATE VIRTUAL TABLE u USING fts5 (a)",
        "INSERT INTO t VALUES (2) RETURNING a",
        "WITH x AS (SELECT 1) DELETE FROM t RETURNING a",
        "VACUUM",
        &format!("VACUUM INTO '{}'", other.display()),
        &format!("ATTACH '{}' AS other", other.display()),
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA user_version",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_user_version",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "EXPLAIN INSERT INTO t VALUES (2)",
    ] {
        let connector = made.connector();
        let error = run(&*connector, sql).await.expect_err(sql);
        assert!(["denied_by_engine", "statement_failed"].contains(&error.code()), "{sql}: {error:?}");
        // Table-valued PRAGMAs are compiled by SQLite when they run.
        assert!(connector.prepare_query(sql).await.is_err() || sql.contains("FROM pragma_"), "{sql}");
    }
    assert_eq!(std::fs::read(&made.path).unwrap(), before);
    assert!(!other.exists());
}

#[tokio::test]
async fn what_sqlite_holds_in_this_process_is_bounded() {
    let made = Made::with("CREATE TABLE t (a)");
    assert_eq!(run(&*made.connector(), "SELECT 1").await.unwrap().rows.len(), 1);
    let anybody = Connection::open_in_memory().unwrap();
    let bound: i64 = anybody.query_row("PRAGMA hard_heap_limit", [], |row| row.get(0)).unwrap();
    assert_eq!(bound, 1 << 30);
}

#[tokio::test]
async fn one_statement_is_expected() {
    let made = Made::with("CREATE TABLE t (a)");
    let connector = made.connector();
    for (sql, code) in [
        ("SELECT 1; SELECT 2", "statement_count"),
        ("", "statement_count"),
        ("-- nothing", "statement_count"),
        ("SELECT nothing FROM t", "statement_failed"),
        ("SELEC 1", "statement_failed"),
    ] {
        assert_eq!(run(&*connector, sql).await.unwrap_err().code(), code, "{sql}");
        assert_eq!(connector.prepare_query(sql).await.unwrap_err().code(), code, "{sql}");
    }
    assert_eq!(run(&*connector, "SELECT 1; -- done").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn reading_in_all_its_forms_is_allowed() {
    let made = Made::with(
        "CREATE TABLE t (a, j); INSERT INTO t VALUES (1, '{\"k\": [1, 2]}'), (2, NULL);
         CREATE VIRTUAL TABLE f USING fts5 (body); INSERT INTO f VALUES ('red fox'), ('blue fox');",
    );
    let connector = made.connector();
    for (sql, rows) in [
        ("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT * FROM n", 5),
        ("SELECT value FROM t, json_each(t.j, '$.k')", 2),
        ("SELECT j ->> '$.k[0]', upper(a), row_number() OVER (ORDER BY a) FROM t", 2),
        ("SELECT highlight(f, 0, '<', '>'), bm25(f) FROM f WHERE f MATCH 'red' ORDER BY rank", 1),
        (
            "SELECT date('now'), strftime('%Y', '2020-01-01'), a LIKE 'x%', a GLOB 'x*' FROM t GROUP BY a HAVING count(*) > 0",
            2,
        ),
        ("EXPLAIN QUERY PLAN SELECT * FROM t", 1),
        ("VALUES (1), (2), (3)", 3),
    ] {
        assert_eq!(
            run(&*connector, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}")).rows.len(),
            rows,
            "{sql}"
        );
    }
}

#[tokio::test]
async fn a_statement_is_stopped_at_its_time_limit_and_the_connection_is_fit_for_the_next() {
    let made = Made::with("CREATE TABLE t (a)");
    let connector = made.connector();
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let limits = Limits { timeout: Duration::from_millis(100), ..Limits::default() };
    let started = Instant::now();
    let error = connector.run_query(endless, &limits).await.unwrap_err();
    assert_eq!(error, ConnectError::Timeout { after: limits.timeout });
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(run(&*connector, "SELECT 1").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn a_dropped_future_stops_its_statement() {
    let made = Made::with("CREATE TABLE t (a)");
    let connector = made.connector();
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let limits = Limits { timeout: Duration::from_secs(600), ..Limits::default() };
    let waited = tokio::time::timeout(Duration::from_millis(50), connector.run_query(endless, &limits)).await;
    assert!(waited.is_err());
    let deadline = Instant::now() + Duration::from_secs(10);
    while connector.work().statements == 0 {
        assert!(Instant::now() < deadline, "the statement is still running");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn rows_stream_until_a_limit_and_an_endless_query_ends_there() {
    let made = Made::with("CREATE TABLE t (a)");
    let connector = made.connector();
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'some text' FROM n";
    let result = run(&*connector, endless).await.unwrap();
    assert_eq!((result.rows.len(), result.truncated.as_deref()), (1000, Some("row limit 1000")));
    let limits = Limits { bytes: 1900, ..Limits::default() };
    let result = connector.run_query(endless, &limits).await.unwrap();
    assert_eq!((result.rows.len(), result.truncated.as_deref()), (100, Some("byte limit 1900")));
    let error = run(&*connector, "SELECT zeroblob(100000000)").await.unwrap_err();
    assert_eq!(error.code(), "value_too_large");
}

#[tokio::test]
async fn a_large_table_is_counted_by_estimate_and_without_a_scan() {
    let made = Made::with(
        "CREATE TABLE gaps (id INTEGER PRIMARY KEY, a TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
         INSERT INTO gaps SELECT i, 'x' FROM n WHERE i % 3 <> 0;
         CREATE TABLE keyed (k TEXT PRIMARY KEY) WITHOUT ROWID;
         INSERT INTO keyed SELECT 'k' || id FROM gaps;
         CREATE TABLE small (a); INSERT INTO small SELECT id FROM gaps LIMIT 10000;
         ANALYZE;",
    );
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    let [gaps, keyed, small] = &tables[..] else { panic!() };
    let before = connector.work();
    let count = connector.row_count(gaps).await.unwrap().unwrap();
    assert_eq!(count.exactness, Exactness::Estimate);
    assert!((90_000..110_000).contains(&count.value), "{count:?}");
    let after = connector.work();
    assert!(after.rows_scanned - before.rows_scanned <= 10_001, "{before:?} {after:?}");
    assert_eq!(connector.row_count(keyed).await.unwrap().unwrap().value, 100_000, "from sqlite_stat1");
    let count = connector.row_count(small).await.unwrap().unwrap();
    assert_eq!((count.value, count.exactness), (10_000, Exactness::Exact));
}

#[tokio::test]
async fn a_range_is_given_only_where_an_index_leads_to_it() {
    let made = Made::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, part TEXT, plain TEXT);
         CREATE INDEX t_part ON t (part) WHERE part > 'b';
         INSERT INTO t VALUES (5, 'c1', 'a', 'p'), (9, 'c2', 'z', 'q');
         CREATE TABLE empty (id INTEGER PRIMARY KEY);",
    );
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let columns = connector.lookup_columns(&t).await.unwrap();
    let listed: Vec<(&str, bool)> = columns.iter().map(|column| (column.name.as_str(), column.unique)).collect();
    assert_eq!(listed, [("id", true), ("code", true)]);
    assert_eq!(connector.key_range(&t, "id").await.unwrap(), Some((Value::Integer(5), Value::Integer(9))));
    let texts = Some((Value::Text("c1".into()), Value::Text("c2".into())));
    assert_eq!(connector.key_range(&t, "code").await.unwrap(), texts);
    assert_eq!(connector.key_range(&t, "part").await.unwrap(), None);
    assert_eq!(connector.key_range(&t, "plain").await.unwrap(), None);
    assert_eq!(connector.key_range(&table(&*connector, "empty").await, "id").await.unwrap(), None);
}

#[tokio::test]
async fn rows_are_found_by_key_in_the_order_of_the_keys() {
    let made = Made::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
         INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');",
    );
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    let a = ["a".to_owned()];
    let keys = [3, 9, 1].map(Value::Integer).to_vec();
    let by_key = SampleRequest::ByKey { column: "id".into(), keys };
    let ends = SampleRequest::FirstAndLast { each: 1, order_by: Some("id".into()) };
    for (request, expected) in [(by_key, ["three", "one"]), (ends, ["one", "four"])] {
        let found = connector.sample(&t, &a, &request).await.unwrap();
        let found: Vec<String> = found.rows.concat().iter().filter_map(Value::as_text).collect();
        assert_eq!(found, expected);
    }
    let values = [Value::Integer(1), Value::Text("2".into()), Value::Integer(77), Value::Real(3.0)];
    assert_eq!(connector.contains(&t, "id", &values).await.unwrap(), 3);
}

#[tokio::test]
async fn reading_leaves_the_file_and_its_folder_as_they_were() {
    let made = Made::with("CREATE TABLE t (a); INSERT INTO t VALUES (1);");
    let listing = |path: &Path| std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    let (bytes, files) = (std::fs::read(&made.path).unwrap(), listing(&made.path));
    let connector = made.connector();
    connector.introspect().await.unwrap();
    run(&*connector, "SELECT * FROM t ORDER BY a").await.unwrap();
    assert_eq!(std::fs::read(&made.path).unwrap(), bytes);
    assert_eq!(listing(&made.path), files);
}

#[tokio::test]
async fn the_structures_mark_is_another_one_once_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").unwrap();
    let connector = crate::connect("s", &format!("sqlite:{}", path.display())).unwrap();
    let statements = [
        "ALTER TABLE t ADD COLUMN c",
        "ALTER TABLE t RENAME COLUMN b TO d",
        "ALTER TABLE t RENAME TO u",
        "CREATE VIEW v AS SELECT a FROM u",
        "DROP VIEW v",
        "INSERT INTO u VALUES (1, 'x', 2)",
    ];
    let write = |sql: String| {
        database.execute_batch(&sql).unwrap();
        std::future::ready(())
    };
    crate::promises::the_structures_mark_is_another_one_once_it_is(&*connector, &statements, write).await;
}
