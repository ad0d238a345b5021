//! Statements that look harmless, over a database whose own views, functions and types make them something else: by the
//! rules alone they would pass, or would be refused where they mustn't be.

use catalog::{ColumnProfile, SampleMethod, Table, TableProfile};
use connect::Limits;
use guard::{GuardError, Policy};
use jiff::Timestamp;

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};

/// A profile by which every column may be shown, as far as values tell.
fn open(table: &Table) -> Option<TableProfile> {
    Some(TableProfile {
        table: table.id.clone(),
        fingerprint: table.fingerprint(),
        row_count: None,
        method: SampleMethod::AllRows,
        rows_seen: 1,
        profiled_at: Timestamp::UNIX_EPOCH,
        write_mark: None,
        columns: table.columns.iter().map(|column| ColumnProfile::empty(column.name.as_str())).collect(),
        sample_rows: Vec::new(),
        stale: false,
        skipped: None,
    })
}

/// Of these statements over a database with `made` besides, which are refused, with the code.
#[track_caller]
fn check(engine: &'static Engine, made: &[&str], refused: &[(&str, &str)], runs: &[&str]) {
    let Some(mut database) = Database::of(engine) else { return };
    made.iter().for_each(|statement| database.alter(statement));
    database.learn(open);
    let (policy, limits) = (Policy::default(), Limits::default());
    for (sql, code) in refused {
        match database.guarded(sql, &policy, &limits) {
            Err(GuardError::Refused(verdict)) => {
                let codes: Vec<&str> = verdict.errors().map(|finding| finding.code).collect();
                assert!(codes.contains(code), "{}: {sql}: {:?}", engine.name, verdict.findings);
            }
            other => panic!("{}: {sql}: {other:?}", engine.name),
        }
    }
    for sql in runs {
        let ran = database.guarded(sql, &policy, &limits);
        assert!(ran.is_ok(), "{}: {sql}: {ran:?}", engine.name);
    }
}

const MASKED: &str = "masked_column";

/// Where its names aren't the view's own, SQLite takes them for those of the query that the view stands in.
#[test]
fn a_text_in_a_view_is_no_column_of_the_query_around_it() {
    check(
        &SQLITE,
        &[
            "CREATE VIRTUAL TABLE memos USING fts5(title, body)",
            "INSERT INTO memos VALUES ('one', 'two')",
            "CREATE VIEW noted AS SELECT title, \"salary\" AS k FROM memos",
            "CREATE VIEW counted AS SELECT order_id FROM orders WHERE status < \"salary\"",
            "CREATE VIEW paid AS SELECT employee_id, name, salary FROM employees",
        ],
        &[
            ("SELECT e.employee_id, (SELECT k FROM noted LIMIT 1) FROM employees e", MASKED),
            ("SELECT e.employee_id, (SELECT count(*) FROM counted) FROM employees e", MASKED),
            ("SELECT k FROM noted", MASKED),
            ("SELECT salary FROM paid", MASKED),
        ],
        &[
            "SELECT count(*) FROM counted",
            "SELECT employee_id, name FROM paid",
            "SELECT title FROM memos WHERE memos MATCH 'two'",
        ],
    );
}

/// The optimizer's trace has strings of conditions as they are, and the queries of views by themselves.
#[test]
fn a_text_in_a_condition_hides_nothing_from_the_account_of_mariadb() {
    const HIDING: &str = "SELECT e.employee_id, EXISTS (SELECT 1 FROM products HAVING salary > 1) AS x FROM employees e \
        LEFT JOIN customers z ON z.customer_id = e.manager_id AND z.full_name <> \
        'x\"}}]}}],\"steps\":[{\"join_preparation\":{\"steps\":[{\"expanded_query\":\"select 1\"}]}},{\"j\":{\"s\":[{\"b\":{\"r\":\"'";
    check(
        &MARIADB,
        &[
            "CREATE TABLE products (id INT PRIMARY KEY, label VARCHAR(20))",
            "CREATE VIEW paid AS SELECT employee_id, name, salary FROM employees",
            "CREATE VIEW twice AS SELECT p.employee_id, p.salary FROM paid p",
        ],
        &[
            (HIDING, MASKED),
            ("SELECT e.employee_id, EXISTS (SELECT 1 FROM products HAVING salary > 1) AS x FROM paid e", MASKED),
            ("SELECT salary FROM twice", MASKED),
        ],
        &[
            "SELECT p.employee_id, p.name FROM paid p LIMIT 2",
            "SELECT t.employee_id FROM twice t LIMIT 2",
            "SELECT count(*) FROM employees e JOIN customers c ON c.customer_id = e.manager_id WHERE c.full_name <> 'a\"b'",
        ],
    );
}

/// A function that somebody made can read any table, whatever it is called and whatever it says of itself.
#[test]
fn functions_of_postgresqls_users_are_never_taken_for_its_own() {
    const PAY: &str = "'SELECT salary::text FROM employees WHERE employee_id = $1'";
    let stable = format!("CREATE FUNCTION format(int) RETURNS text LANGUAGE sql STABLE AS {PAY}");
    let quoted = format!("CREATE FUNCTION \"Host\"(int) RETURNS text LANGUAGE sql VOLATILE AS {PAY}");
    let band = "CREATE FUNCTION band_of(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT salary::int / 1000 FROM employees WHERE employee_id = $1'";
    check(
        &POSTGRES,
        &[
            &stable,
            &quoted,
            band,
            "CREATE FUNCTION path(orders) RETURNS text LANGUAGE sql STABLE AS 'SELECT salary::text FROM employees LIMIT 1'",
            "CREATE TABLE bands (id int PRIMARY KEY, band int GENERATED ALWAYS AS (band_of(id)) STORED)",
            "CREATE VIEW formatted AS SELECT employee_id, format(employee_id::int) AS f FROM employees",
        ],
        &[
            ("SELECT f FROM generate_series(1, 3) g, LATERAL format(g) f", "function_not_allowed"),
            ("SELECT \"Host\"(1)", "function_not_allowed"),
            ("SELECT path(o) FROM orders o", "function_not_allowed"),
            ("SELECT (o).path FROM orders o", "function_not_allowed"),
            ("SELECT id, band FROM bands", MASKED),
            ("SELECT f FROM formatted", MASKED),
        ],
        &["SELECT id FROM bands", "SELECT length(status), btrim(status) FROM orders"],
    );
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter(&stable.replace("format", "btrim"));
    let ran = database.guarded("SELECT btrim(3)", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.code == "table_changed"), "{:?}", verdict.findings);
}

/// How many rows a view has, and where they lie, can be made from any value.
#[test]
fn the_rows_of_a_view_and_of_parts_tell_of_values() {
    check(
        &POSTGRES,
        &[
            "CREATE VIEW steps AS SELECT who FROM (SELECT employee_id AS who, generate_series(1, salary::int) FROM employees) s",
            "CREATE VIEW shared AS SELECT k FROM (SELECT DISTINCT employee_id / 2 AS k, salary FROM employees) s",
        ],
        &[
            ("SELECT who, count(*) FROM steps GROUP BY who", MASKED),
            ("SELECT k, count(*) FROM shared GROUP BY k", MASKED),
            ("SELECT employee_id, ctid FROM employees", MASKED),
            (
                "SELECT (SELECT count(DISTINCT e.salary) FROM (SELECT 1) q) FROM employees e WHERE e.employee_id IN (1, 2)",
                MASKED,
            ),
        ],
        &["SELECT count(DISTINCT salary) FROM employees"],
    );
}

/// A name behind IN is a table's, and a text that says what columns there are can compute them.
#[test]
fn clickhouse_reads_no_table_and_computes_nothing_unseen() {
    check(
        &CLICKHOUSE,
        &[],
        &[
            ("SELECT 1 IN orders FROM values('a String', 'x')", "not_understood"),
            ("SELECT (1, 2) NOT IN (orders) FROM values('a String', 'x')", "not_understood"),
            ("SELECT b FROM values('a String, b String ALIAS hostName()', 'x')", "not_understood"),
            ("SELECT b FROM values(concat('a String, b String AL', 'IAS hostName()'), 'x')", "not_understood"),
            ("SELECT arrayReduce('groupArrayInsertAt(0, 100)', [1], [50])", "function_not_allowed"),
        ],
        &[
            "SELECT a FROM values('a String, b UInt8', ('x', 1), ('y', 2))",
            "SELECT arrayReduce('sum', [1, 2])",
            "SELECT count() FROM orders WHERE status IN ('paid', 'open')",
        ],
    );
}

#[test]
fn duckdb_calls_no_function_by_a_text_and_tries_no_pattern_for_ever() {
    check(
        &DUCKDB,
        &[],
        &[
            ("SELECT list_aggregate([1], 'bitstring_agg', 0, 100000000)", "function_not_allowed"),
            ("SELECT repeat('a', 200) LIKE '%_a%_a%_a%_a%_a%_a%b'", "resource_bomb"),
            ("SELECT repeat('a', 200) ~~ '%_a%_a%_a%_a%_a%_a%b'", "resource_bomb"),
            ("SELECT like_escape(repeat('a', 200), '%_a%_a%_a%_a%_a%_a%b', '$')", "resource_bomb"),
        ],
        &["SELECT list_aggregate([1, 2], 'sum')", "SELECT count(*) FROM orders WHERE status ILIKE '%a%i%d%'"],
    );
}
