//! What each engine keeps to, said once: an engine's tests call these with what is its own.
//!
//! A test that is the same for several engines but for a statement or a name is a function here; what only one engine
//! does stays with that engine.
#![allow(clippy::unwrap_used)]

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Table, TableId};
use tokio::task::JoinError;

use crate::server_pool::{CONNECTIONS, SLOW_CONNECTIONS};
use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Connector, Limits, ResultSet, SampleRequest, StatementSession, TextLookUp, Value, connect};

/// A database on a server that is only for one test.
pub(crate) trait TestDatabase: Sync {
    /// A connector to it, as the user of the server's address.
    fn connector(&self) -> Box<dyn Connector>;

    /// How many statements run on the server that hold `marker`, but for the one that asks.
    fn running(&self, marker: &str) -> impl Future<Output = usize> + Send;
}

/// Passes on that a test failed, once what it used is gone.
pub(crate) fn resume(outcome: Result<(), JoinError>) {
    if let Err(error) = outcome {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// What an engine reads of an address, whose scheme it doesn't look at.
pub(crate) fn parsed<T>(parse: impl Fn(&str, &str) -> Result<T, ConnectError>, dsn: &str) -> Result<T, ConnectError> {
    parse(dsn, dsn.split_once(':').unwrap().1)
}

pub(crate) async fn table(connector: &dyn Connector, name: &str) -> Table {
    let tables = connector.introspect().await.unwrap();
    tables.into_iter().find(|table| table.id.name == name).unwrap_or_else(|| panic!("no table {name}"))
}

pub(crate) async fn run(connector: &dyn Connector, sql: &str) -> Result<ResultSet, ConnectError> {
    connector.run_query(sql, &Limits::default()).await
}

pub(crate) async fn code(connector: &dyn Connector, sql: &str) -> &'static str {
    run(connector, sql).await.map_or_else(|error| error.code(), |_| "ok")
}

pub(crate) fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

pub(crate) async fn wait_until(database: &impl TestDatabase, marker: &str, expected: usize) {
    let started = Instant::now();
    while database.running(marker).await != expected {
        assert!(started.elapsed() < Duration::from_secs(10), "never {expected} of {marker}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn absent_servers_are_reported_without_secrets(addresses: [&str; 2]) {
    for dsn in addresses {
        assert!(dsn.contains("s3cret"), "{dsn}");
        let connector = connect("s", dsn).unwrap();
        assert!(!format!("{connector:?} {:?}", connector.source()).contains("s3cret"));
        let error = connector.introspect().await.unwrap_err();
        assert_eq!(error.code(), "unreachable", "{error}");
        assert!(!error.hints().is_empty());
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    }
}

/// `says`: what the engine's words for a database that isn't there hold; `nobody`: the address of a user that isn't there,
/// with `s3cret` for a password.
pub(crate) async fn absent_databases_and_users_are_told(missing: &str, says: &str, nobody: &str) {
    let error = connect("s", missing).unwrap().introspect().await.unwrap_err();
    assert_eq!(error.code(), "no_such_database", "{error}");
    assert!(error.to_string().contains(says), "{error}");
    let error = connect("s", nobody).unwrap().introspect().await.unwrap_err();
    assert_eq!(error.code(), "authentication_failed");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
}

/// `address` with each setting is encrypted, isn't, or (`None`) can't be; `query` tells which by `encrypted`.
pub(crate) async fn encryption_is_as_the_address_asks(
    address: &str,
    settings: [(&str, Option<bool>); 3],
    query: &str,
    encrypted: impl Fn(bool) -> Value,
) {
    for (setting, expected) in settings {
        let connector = connect("s", &format!("{address}?{setting}")).unwrap();
        match (run(&*connector, query).await, expected) {
            (Ok(result), Some(expected)) => assert_eq!(result.rows, [[encrypted(expected)]], "{setting}"),
            (Err(error), None) => {
                assert_eq!(error.code(), "encryption_failed", "{setting}");
                let name = setting.split_once('=').unwrap().0;
                assert!(error.hints()[0].contains(name), "{:?}", error.hints());
            }
            (other, _) => panic!("{setting}: {other:?}"),
        }
    }
}

/// A server with a certificate that nobody signed, or without one, isn't talked to where `strict` asks for a good one.
pub(crate) async fn certificates_are_checked(address: &str, strict: &str, authority: &str) {
    let error = match connect("s", &format!("{address}?{strict}")) {
        Ok(connector) => connector.introspect().await.unwrap_err(),
        // Nor does every machine have authorities.
        Err(error) => error,
    };
    assert_eq!(error.code(), "encryption_failed", "{error}");
    let no_file = connect("s", &format!("{address}?{strict}&{authority}=/nowhere.pem"));
    assert_eq!(no_file.unwrap_err().code(), "encryption_failed");
}

/// For a user who may read the column `a` of the table `shown`, with one row, and nothing of `hidden`.
pub(crate) async fn a_table_that_may_not_be_read_leaves_the_others(connector: &dyn Connector) {
    let (hidden, shown) = (table(connector, "hidden").await, table(connector, "shown").await);
    assert_eq!(connector.row_count(&shown).await.unwrap().unwrap().value, 1);
    assert_eq!(connector.row_count(&hidden).await.unwrap_err().code(), "permission_denied");
    let request = SampleRequest::FirstRows { rows: 1 };
    let refused = connector.sample(&hidden, &["a".to_owned()], &request).await.unwrap_err();
    assert_eq!(refused.code(), "permission_denied");
    assert!(refused.to_string().contains("hidden"), "{refused}");
    assert!(connector.sample(&shown, &["a".to_owned()], &request).await.is_ok());
    assert_eq!(code(connector, "SELECT * FROM hidden").await, "permission_denied");
    assert_eq!(code(connector, "SELECT a FROM shown").await, "ok");
}

/// Over a table `t` with the column `id`; `slow` takes longer than any test.
pub(crate) async fn preparing_runs_nothing_and_says_what_a_mistake_is(connector: &dyn Connector, slow: &str) {
    let started = Instant::now();
    connector.prepare_query(slow).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    for (sql, expected) in [
        ("SELECT nme FROM t", "statement_failed"),
        ("SELEC 1", "statement_failed"),
        ("SELECT 1; SELECT 2", "statement_count"),
        ("DROP TABLE t", "denied_by_engine"),
    ] {
        let error = connector.prepare_query(sql).await.unwrap_err();
        assert_eq!(error.code(), expected, "{sql}: {error}");
    }
    let error = connector.prepare_query("SELECT ida FROM t").await.unwrap_err();
    assert!(error.to_string().contains("ida"), "{error}");
    connector.prepare_query("SELECT count(*) FROM t").await.unwrap();
}

/// Over a table `t` of thousands of rows: `id` counts from 1, `a` is ten times `x`. `endless` gives rows without an end,
/// in a column `AS endless`.
pub(crate) async fn results_are_cut_at_their_limits_and_the_server_stops(database: &impl TestDatabase, endless: &str) {
    let connector = database.connector();
    let limits = Limits { rows: 3, ..Limits::default() };
    let result = connector.run_query("SELECT id FROM t ORDER BY id", &limits).await.unwrap();
    assert_eq!(result.rows, [[Value::Integer(1)], [Value::Integer(2)], [Value::Integer(3)]]);
    assert_eq!(result.truncated.as_deref(), Some("row limit 3"));
    let result = connector.run_query("SELECT id FROM t ORDER BY id LIMIT 3", &limits).await.unwrap();
    assert_eq!(result.truncated, None);
    let limits = Limits { bytes: 100, cell_chars: 4, ..Limits::default() };
    let result = connector.run_query("SELECT a FROM t", &limits).await.unwrap();
    assert_eq!(result.rows[0], [text("xxxx")]);
    assert_eq!(result.truncated.as_deref(), Some("byte limit 100; cells cut at 4 characters"));
    // Few rows are wanted, or few bytes.
    for limits in [Limits { rows: 10, ..Limits::default() }, Limits { bytes: 10_000, ..Limits::default() }] {
        let started = Instant::now();
        let result = connector.run_query(endless, &limits).await.unwrap();
        assert!(result.truncated.is_some() && result.rows.len() <= 1000);
        assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
        wait_until(database, "AS endless", 0).await;
    }
    // The same connection serves on.
    assert_eq!(code(&*connector, "SELECT 1").await, "ok");
}

/// `slow` takes longer than any test, and holds `AS slow`.
pub(crate) async fn time_runs_out_on_the_server_too(database: &impl TestDatabase, slow: &str) {
    let connector = database.connector();
    let limits = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
    let started = Instant::now();
    let error = connector.run_query(slow, &limits).await.unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    wait_until(database, "AS slow", 0).await;
    assert_eq!(code(&*connector, "SELECT 1").await, "ok");
}

/// `slow` takes longer than any test, and holds `AS dropped`.
pub(crate) async fn a_dropped_query_is_stopped_on_the_server(database: &impl TestDatabase, slow: &'static str) {
    let connector: Arc<dyn Connector> = database.connector().into();
    let limits = Limits { timeout: Duration::from_secs(600), ..Limits::default() };
    let most = CONNECTIONS + SLOW_CONNECTIONS;
    let queries: Vec<_> = (0..most + 2)
        .map(|_| {
            let (connector, limits) = (Arc::clone(&connector), limits.clone());
            tokio::spawn(async move { connector.run_query(slow, &limits).await })
        })
        .collect();
    // First those that there are for everybody, then those for who takes long, and no more.
    wait_until(database, "AS dropped", most).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(database.running("AS dropped").await, most);
    queries.iter().for_each(tokio::task::JoinHandle::abort);
    wait_until(database, "AS dropped", 0).await;
    assert_eq!(code(&*connector, "SELECT 1").await, "ok");
}

/// Each of these statements is one of structure, but the last, which writes a row.
pub(crate) async fn the_structures_mark_is_another_one_once_it_is<W: Future<Output = ()>>(
    connector: &dyn Connector,
    statements: &[&str],
    write: impl Fn(String) -> W,
) {
    let mark = async || connector.structure_mark().await.unwrap().unwrap();
    let mut before = mark().await;
    assert_eq!(before, mark().await);
    let (row, structure) = statements.split_last().unwrap();
    for statement in structure {
        write((*statement).to_owned()).await;
        let after = mark().await;
        assert_ne!(before, after, "{statement}");
        before = after;
    }
    write((*row).to_owned()).await;
    assert_eq!(before, mark().await, "{row}");
}

/// Every table has one row and a column to look up by, whatever its name; what was introspected.
pub(crate) async fn any_name_can_be_a_table_or_a_column(connector: &dyn Connector) -> Vec<Table> {
    let tables = connector.introspect().await.unwrap();
    for table in &tables {
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let count = connector.row_count(table).await.unwrap().unwrap();
        assert_eq!(count.value, 1, "{}", table.id);
        let lookup = connector.lookup_columns(table).await.unwrap().remove(0);
        let (first, last) = connector.key_range(table, &lookup.name).await.unwrap().unwrap();
        assert_eq!(first, last);
        for request in [
            SampleRequest::FirstRows { rows: 3 },
            SampleRequest::FirstAndLast { each: 1, order_by: Some(lookup.name.clone()) },
            SampleRequest::FirstAndLast { each: 1, order_by: None },
            SampleRequest::ByKey { column: lookup.name.clone(), keys: vec![first.clone()] },
        ] {
            let sample = connector.sample(table, &columns, &request).await.unwrap();
            assert_eq!(sample.columns, columns);
            assert!(!sample.rows.is_empty() && sample.rows[0].len() == columns.len(), "{} {request:?}", table.id);
        }
        let lengths = connector.sample(table, &columns, &SampleRequest::Lengths { rows: 3 }).await.unwrap();
        let is_length = |cell: &Value| matches!(cell, Value::Null | Value::Integer(_) | Value::Bytes(_));
        assert!(lengths.rows[0].len() == 2 * columns.len() && lengths.rows[0].iter().all(is_length), "{}", table.id);
        assert_eq!(connector.contains(table, &lookup.name, &[first, Value::Null]).await.unwrap(), 1);
    }
    tables
}

/// `introspection`: the statements that it takes, whatever the number of tables.
pub(crate) async fn statements_do_not_grow_with_the_number_of_tables(connector: &dyn Connector, introspection: u64) {
    let tables = connector.introspect().await.unwrap();
    assert!(tables.len() >= 60, "{}", tables.len());
    assert_eq!(connector.work().statements, introspection);
    // What was learnt then is not asked again.
    connector.lookup_columns(&tables[0]).await.unwrap();
    assert_eq!(connector.work().statements, introspection);
}

/// `dropped` was introspected by `connector` and is gone since; the empty table `kept` has a column `a`.
pub(crate) async fn a_table_that_is_gone_fails_alone(
    connector: &dyn Connector,
    fresh: &dyn Connector,
    dropped: &Table,
    kept: &Table,
) {
    assert_eq!(connector.row_count(dropped).await.unwrap_err().code(), "statement_failed");
    assert_eq!(connector.row_count(kept).await.unwrap().unwrap().value, 0);
    assert!(run(connector, "SELECT a FROM kept").await.unwrap().rows.is_empty());
    // A connector that has not looked yet looks when it is asked.
    assert_eq!(fresh.row_count(kept).await.unwrap().unwrap().value, 0);
    assert_eq!(fresh.lookup_columns(kept).await.unwrap(), []);
    assert_eq!(fresh.lookup_columns(dropped).await.unwrap_err().code(), "statement_failed");
}

/// The column that can be looked up by, with whether they are unique.
pub(crate) async fn lookups(connector: &dyn Connector, table: &Table) -> Vec<(String, bool)> {
    let found = connector.lookup_columns(table).await.unwrap();
    found.into_iter().map(|found| (found.name, found.unique)).collect()
}

/// The values of `columns` in the rows that have one of `keys` in `column`, one row after the other.
pub(crate) async fn by_key(connector: &dyn Connector, table: &Table, column: &str, keys: Vec<Value>) -> Vec<Value> {
    let request = SampleRequest::ByKey { column: column.to_owned(), keys };
    let sample = connector.sample(table, &["id".to_owned()], &request).await.unwrap();
    sample.rows.into_iter().flatten().collect()
}

/// The first rows of a table as a result and as a sample.
pub(crate) struct Read {
    pub(crate) table: Table,
    pub(crate) result: Vec<Vec<Value>>,
    pub(crate) sample: Vec<Vec<Value>>,
}

impl Read {
    pub(crate) async fn of(connector: &dyn Connector, name: &str) -> Self {
        let table = table(connector, name).await;
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let result = run(connector, &format!("SELECT * FROM {name}")).await.unwrap();
        assert_eq!(result.columns, columns);
        let sample = connector.sample(&table, &columns, &SampleRequest::FirstRows { rows: 5 }).await.unwrap();
        Self { table, result: result.rows, sample: sample.rows }
    }

    /// What the first row of the result has in this column, and what the sample has.
    pub(crate) fn both(&self, column: &str) -> [&Value; 2] {
        let place = self.table.place_of(column).unwrap();
        [&self.result[0][place], &self.sample[0][place]]
    }

    /// Both have these values.
    pub(crate) fn holds<const COLUMNS: usize>(&self, expected: [(&str, Value); COLUMNS]) {
        for (column, value) in expected {
            assert_eq!(self.both(column), [&value, &value], "{column}");
        }
    }
}

/// Whatever these give is no error; where a value is named, they give that alone.
pub(crate) async fn odd_results_are_no_error(connector: &dyn Connector, statements: &[(&str, Option<Value>)]) {
    for (sql, expected) in statements {
        let result = run(connector, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        match expected {
            Some(expected) => assert_eq!(result.rows, [[expected.clone()]], "{sql}"),
            None => assert!(!result.rows.is_empty(), "{sql}"),
        }
        assert_eq!(connector.prepare_query(sql).await, Ok(()), "{sql}");
    }
}

/// What a statement's session says of each of the tables is what introspection says.
pub(crate) fn live_relations_are_worded_as_introspection_words_them(session: &dyn StatementSession, tables: &[Table]) {
    assert_eq!(session.live().len(), tables.len());
    for table in tables {
        let live = session.live().iter().find(|live| live.id == table.id).unwrap();
        assert_eq!((&live.kind, &live.definition, live.hidden), (&table.kind, &table.definition, false));
        let columns = table.columns.iter().map(|column| (column.name.clone(), column.data_type.clone()));
        assert_eq!(live.columns, columns.collect::<Vec<_>>(), "{}", table.id);
    }
}

/// A text to look for in the table `t`, with the column's ten first others where it isn't there.
pub(crate) fn wanted(column: &str, text: &str) -> TextLookUp {
    TextLookUp { table: TableId::new("s", "t"), column: column.to_owned(), text: text.to_owned(), others_from: 10 }
}

/// In a session over the table `t` whose column `a` holds `one` and `O'Brien` alone, for a statement that counts its rows.
pub(crate) async fn texts_are_looked_up_before_the_statement_runs(mut session: Box<dyn StatementSession>) {
    let asked = ["one", "O'Brien", "\\' OR 1"].map(|text| wanted("a", text));
    let found = session.look_up(&asked).await.unwrap();
    assert_eq!(found.iter().map(|found| found.occurs).collect::<Vec<_>>(), [Some(true), Some(true), Some(false)]);
    assert_eq!((found[0].others.len(), found[2].others.len()), (0, 2));
    assert_eq!(session.run().await.unwrap().rows, [[Value::Integer(2)]]);
    session.end().await;
}
