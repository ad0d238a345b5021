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
            "CREATE TABLE pairs (id INTEGER PRIMARY KEY, key TEXT, value TEXT)",
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
            "SELECT pairs.id, j.value FROM pairs, json_each(json_array(pairs.key)) j",
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
            "CREATE TABLE products (id INT PRIMARY KEY, label VARCHAR(20), salary INT)",
            "CREATE VIEW paid AS SELECT employee_id, name, salary FROM employees",
            "CREATE VIEW twice AS SELECT p.employee_id, p.salary FROM paid p",
            "CREATE VIEW rich AS SELECT e.employee_id AS id, e.name FROM employees e WHERE e.salary > 5000",
            "CREATE TABLE crew (id INT PRIMARY KEY, name VARCHAR(20), salary INT) WITH SYSTEM VERSIONING",
            "CREATE VIEW was AS SELECT s.id, s.salary FROM crew FOR SYSTEM_TIME ALL s",
            "CREATE VIEW spans AS SELECT e.employee_id AS nr, e.salary AS label, interval(e.manager_id, 1, 2) AS band FROM employees e",
            "CREATE VIEW numbers AS SELECT manager_id, count(salary) AS n FROM employees GROUP BY manager_id",
        ],
        &[
            (HIDING, MASKED),
            ("SELECT e.employee_id, EXISTS (SELECT 1 FROM products HAVING salary > 1) AS x FROM paid e", MASKED),
            ("SELECT salary FROM twice", MASKED),
            ("SELECT EXISTS (SELECT 1 FROM products HAVING id & 1) AS x FROM rich h", MASKED),
            (
                "SELECT EXISTS (SELECT 1 FROM employees a, orders k1 JOIN orders k2 \
                 ON EXISTS (SELECT 1 FROM orders k3 WHERE id & 1)) AS x FROM rich v",
                MASKED,
            ),
            (
                "SELECT EXISTS (SELECT 1 FROM products a, orders k1 JOIN orders k2 \
                 ON EXISTS (SELECT 1 FROM orders k3 WHERE label LIKE _utf8mb4'7%')) AS x FROM spans v",
                MASKED,
            ),
            ("SELECT EXISTS (SELECT 1 FROM products s HAVING salary > 1) AS x FROM was h", MASKED),
            (
                "SELECT EXISTS (SELECT 1 FROM products HAVING label > 1) AS x FROM spans b WHERE EXISTS (SELECT 1 FROM numbers)",
                MASKED,
            ),
        ],
        &[
            "SELECT n FROM numbers",
            "SELECT count(DISTINCT e.name) FROM employees e",
            "SELECT order_id FROM orders WHERE customer_id IN (SELECT e.manager_id FROM employees e)",
            "SELECT sum(CASE e.manager_id WHEN 1 THEN 1 ELSE 0 END) FROM employees e",
            "SELECT name, n FROM (SELECT e.name, count(*) AS n FROM employees e GROUP BY e.name) x",
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
            "CREATE SCHEMA system",
            &stable.replace("format(int)", "system.lower(int)"),
            "CREATE FUNCTION floor(smallint) RETURNS int LANGUAGE sql STABLE AS 'SELECT salary::int FROM employees WHERE employee_id = $1'",
            "CREATE VIEW floors AS SELECT employee_id, floor(employee_id::smallint) AS f FROM employees",
            "CREATE FUNCTION is_pay(numeric) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT 1 FROM employees WHERE salary = $1)'",
            "CREATE DOMAIN pay AS numeric CHECK (is_pay(value))",
            "CREATE DOMAIN pays AS pay[]",
            "CREATE TABLE payslips (id int PRIMARY KEY, amount pay)",
            "CREATE FUNCTION plus_pay(int, text) RETURNS text LANGUAGE sql STABLE AS 'SELECT salary::text FROM employees WHERE employee_id = $1'",
            "CREATE OPERATOR <+> (LEFTARG = int, RIGHTARG = text, FUNCTION = plus_pay)",
            "CREATE VIEW added AS SELECT employee_id, employee_id::int <+> 'x' AS f FROM employees",
        ],
        &[
            ("SELECT f FROM generate_series(1, 3) g, LATERAL format(g) f", "function_not_allowed"),
            ("SELECT \"Host\"(1)", "function_not_allowed"),
            ("SELECT path(o) FROM orders o", "function_not_allowed"),
            ("SELECT (o).path FROM orders o", "function_not_allowed"),
            ("SELECT id, band FROM bands", MASKED),
            ("SELECT f FROM formatted", MASKED),
            ("SELECT system.lower(3)", "function_not_allowed"),
            ("SELECT f FROM floors", MASKED),
            ("SELECT floor(3::smallint)", "function_not_allowed"),
            ("SELECT 7000::pay", "function_not_allowed"),
            ("SELECT '{7000}'::_pay", "function_not_allowed"),
            ("SELECT '{{7000}}'::pays", "function_not_allowed"),
            ("SELECT jsonb_populate_record(NULL::payslips, '{}')", "function_not_allowed"),
            ("SELECT 1 <+> 'x'", "function_not_allowed"),
            ("SELECT f FROM added", MASKED),
        ],
        &[
            "SELECT id FROM payslips",
            "SELECT pg_catalog.btrim(status) FROM orders",
            "SELECT id FROM bands",
            "SELECT length(status), btrim(status) FROM orders",
        ],
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

/// A table whose masked values become another table's rows.
#[test]
fn a_table_that_is_taken_in_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE TABLE base (employee_id numeric, name text)");
    database.alter("CREATE TABLE stage (employee_id numeric, name text)");
    database.learn(open);
    let run = |database: &Database| database.guarded("SELECT name FROM base", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok());
    database.alter("ALTER TABLE stage INHERIT base");
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("the rows of `public.stage`")), "{verdict:?}");
    database.learn(open);
    assert!(run(&database).is_ok());
}

/// A name that PostgreSQL folds is not one that has come since.
#[test]
fn a_name_without_its_quotes_is_no_new_one() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE TABLE visits (id int PRIMARY KEY, \"StartedAt\" date)");
    database.learn(open);
    let ran = database.guarded("SELECT StartedAt FROM visits", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().all(|finding| !finding.help.contains("periplus index")), "{:?}", verdict.findings);
}

/// Parts have names in the database and none in the catalog.
#[test]
fn a_part_is_read_through_its_table() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE TABLE payments (id int, paid date) PARTITION BY RANGE (paid)");
    database.alter("CREATE TABLE payments_2025 PARTITION OF payments FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')");
    database.learn(open);
    let ran = database.guarded("SELECT id FROM payments_2025", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    let finding = verdict.errors().next().unwrap();
    assert!(finding.why.contains("a part of `public.payments`"), "{finding:?}");
    assert!(database.guarded("EXPLAIN SELECT * FROM orders", &Policy::default(), &Limits::default()).is_ok());
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
fn macros_of_duckdb_are_found_wherever_they_are_called() {
    const PAY: &str = "(SELECT salary FROM employees WHERE employee_id = who)";
    let age = format!("CREATE MACRO age_of(what, who) AS {PAY}");
    let shadowing = format!("CREATE MACRO date_part(what, who) AS {PAY}");
    check(&DUCKDB, &[&age], &[("SELECT main.age_of(1, 2)", "function_not_allowed")], &["SELECT 1 + 1"]);
    check(
        &DUCKDB,
        &[&shadowing],
        &[
            ("SELECT EXTRACT(year FROM order_id) FROM orders", "function_not_allowed"),
            ("SELECT main.date_part('year', 1)", "function_not_allowed"),
        ],
        &[],
    );
    let Some(mut database) = Database::of(&DUCKDB) else { return };
    database.alter(&shadowing);
    let ran = database.guarded("SELECT EXTRACT(year FROM 1)", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.code == MASKED), "{:?}", verdict.findings);
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
            ("SELECT repeat('9', 20000)::BIGNUM > 1", "resource_bomb"),
            ("SELECT regexp_full_match(repeat('a', 9600), '.*[0-7].{900}[0-8].{900}[0-4].{900}x')", "resource_bomb"),
            ("SELECT like_escape(repeat('a', 200), '%_a%_a%_a%_a%_a%_a%b', '$')", "resource_bomb"),
        ],
        &["SELECT list_aggregate([1, 2], 'sum')", "SELECT count(*) FROM orders WHERE status ILIKE '%a%i%d%'"],
    );
}
