//! Statements that look harmless, over a database whose own views, functions and types make them something else: by the
//! rules alone they would pass, or would be refused where they mustn't be.

use catalog::{Column, ColumnProfile, Mask, SampleMethod, Table, TableProfile};
use connect::Limits;
use guard::{GuardError, Policy};
use jiff::Timestamp;

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};

/// A profile by which every column may be shown, as far as values tell, but for salaries.
pub(crate) fn open(table: &Table) -> Option<TableProfile> {
    let profile = |column: &Column| {
        let mut profile = ColumnProfile::empty(column.name.as_str());
        profile.masked = (column.name == "salary").then(|| Mask::by_values("values look like salaries"));
        profile
    };
    Some(TableProfile {
        rows_seen: 1,
        columns: table.columns.iter().map(profile).collect(),
        ..TableProfile::new(table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
    })
}

/// Of these statements over a database with `made` besides, which are refused, with the code.
#[track_caller]
pub(crate) fn check(engine: &'static Engine, made: &[&str], refused: &[(&str, &str)], runs: &[&str]) {
    let Some(mut database) = Database::of(engine) else { return };
    made.iter().for_each(|statement| database.alter(statement));
    database.learn(open);
    judge(&database, refused, runs);
}

/// The same after what somebody has changed since it was indexed.
#[track_caller]
fn check_changed(engine: &'static Engine, made: &[&str], changed: &[&str], refused: &[(&str, &str)], runs: &[&str]) {
    let Some(mut database) = Database::of(engine) else { return };
    made.iter().for_each(|statement| database.alter(statement));
    database.learn(open);
    judge(&database, &[], &refused.iter().map(|(sql, _)| *sql).collect::<Vec<_>>());
    changed.iter().for_each(|statement| database.alter(statement));
    judge(&database, refused, runs);
}

#[track_caller]
pub(crate) fn judge(database: &Database, refused: &[(&str, &str)], runs: &[&str]) {
    let (engine, policy, limits) = (database.engine, Policy::default(), Limits::default());
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

pub(crate) const MASKED: &str = "masked_column";

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
            // A query that can't be followed.
            ("SELECT count(*) FROM counted", MASKED),
        ],
        &[
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

/// Any key measures what is as large as it is, groups come out in order, and the transaction that wrote a row tells which rows
/// were picked.
#[test]
fn masked_values_are_joined_along_references_alone_and_never_grouped() {
    let badges = "CREATE TABLE badges (badge_id numeric PRIMARY KEY, salary numeric UNIQUE)";
    check(
        &POSTGRES,
        &[badges],
        &[
            ("SELECT salary FROM badges", MASKED),
            ("SELECT e.employee_id, b.badge_id FROM employees e JOIN badges b ON e.salary = b.salary", MASKED),
            ("SELECT count(*) FROM employees GROUP BY salary", MASKED),
            ("SELECT employee_id FROM employees WHERE xmin::text <> '1'", MASKED),
            (
                "SELECT split_part(status || repeat('a', 900000), 'b' || repeat('a', 900000), 1) FROM orders",
                "resource_bomb",
            ),
            ("SELECT normalize(repeat(U&'\\0301', 900000) || repeat(U&'\\0323', 900000)) FROM orders", "resource_bomb"),
            ("SELECT status LIKE ALL (ARRAY[repeat('a', 900000), repeat('b', 900000)]) FROM orders", "resource_bomb"),
        ],
        &[
            "SELECT employee_id FROM employees LIMIT 3 -- newest first, no limit",
            "SELECT employee_id, salary IS NOT NULL AS paid, 'over limit x' AS \"limit\" FROM employees",
            "SELECT a.badge_id FROM badges a JOIN badges b ON a.salary = b.salary",
        ],
    );
}

/// PostgreSQL's plans say how long values are.
#[test]
fn postgresql_explains_no_view_over_masked_columns() {
    check(
        &POSTGRES,
        &["CREATE VIEW boss AS SELECT count(DISTINCT salary) AS n FROM employees"],
        &[("EXPLAIN SELECT 1 FROM boss", MASKED)],
        &["SELECT n FROM boss", "EXPLAIN SELECT employee_id FROM employees"],
    );
}

/// MariaDB computes parts of what it explains, and calls expressions by their text.
#[test]
fn mariadb_explains_no_view_over_masked_columns() {
    check(
        &MARIADB,
        &[
            "CREATE TABLE ranks (`order` int, `key` int PRIMARY KEY, salary int)",
            "CREATE VIEW boss AS SELECT a.employee_id FROM employees a, employees b WHERE b.employee_id = 1 AND a.salary > b.salary",
        ],
        &[("EXPLAIN FORMAT=JSON SELECT 1 FROM boss", MASKED), ("EXPLAIN SELECT 1 FROM boss", MASKED)],
        &[
            "SELECT max(`employee_id`) FROM employees",
            "SELECT `order`, `key` FROM ranks WHERE `key` > 1",
            "SELECT max(`order`) AS most FROM ranks",
            "SELECT `e`.`employee_id` + 1 FROM employees e",
            "EXPLAIN SELECT employee_id FROM employees",
        ],
    );
    let Some(mut database) = Database::of(&MARIADB) else { return };
    database.alter("CREATE TABLE tagged (id int PRIMARY KEY, a varchar(9), b varchar(9) AS (concat('t', a)) VIRTUAL)");
    database.alter("ALTER TABLE employees ADD step int DEFAULT (salary DIV 100)");
    database.learn(open);
    let step = database.guarded("SELECT step FROM employees", &Policy::default(), &Limits::default());
    assert!(matches!(step, Err(GuardError::Refused(_))), "{step:?}");
    let run = |database: &Database| database.guarded("SELECT b FROM tagged", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok());
    database.alter("ALTER TABLE tagged MODIFY b varchar(9) AS (a) VIRTUAL");
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("another expression")), "{verdict:?}");
}

#[test]
fn mariadb_takes_medians_over_windows_of_what_is_not_masked() {
    check(
        &MARIADB,
        &[],
        &[
            ("SELECT median(salary) OVER () FROM employees", MASKED),
            ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) OVER () FROM employees", MASKED),
        ],
        &[
            "SELECT DISTINCT status, median(total) OVER (PARTITION BY status) AS m FROM orders",
            "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total) OVER (PARTITION BY status) AS m FROM orders",
        ],
    );
}

/// A bare column beside `max()` is of the row that has the greatest value.
#[test]
fn a_column_beside_the_greatest_value_tells_whose_it_is() {
    check(
        &SQLITE,
        &[
            "CREATE VIEW best AS SELECT manager_id, employee_id, max(salary) AS most FROM employees GROUP BY manager_id",
            "CREATE VIEW sums AS SELECT manager_id, max(salary) AS most, count(*) AS many FROM employees GROUP BY manager_id",
        ],
        &[("SELECT manager_id, employee_id FROM best", MASKED), ("SELECT most FROM sums", MASKED)],
        &["SELECT manager_id, many FROM sums"],
    );
}

/// What a dictionary picks or computes it says in a text of its own, and a column's expression can be changed.
#[test]
fn clickhouse_is_asked_what_columns_are_made_of() {
    const DICTIONARY: &str = "CREATE DICTIONARY";
    let made = |name: &str, source: &str| {
        format!(
            "{DICTIONARY} {name} (employee_id UInt64, name String) PRIMARY KEY employee_id \
             SOURCE(CLICKHOUSE({source})) LAYOUT(FLAT()) LIFETIME(0)"
        )
    };
    let picking = made("seniors", "TABLE 'employees' WHERE 'salary > 7000'");
    let asking = made("paid", "QUERY 'SELECT employee_id, toString(salary) AS name FROM employees'");
    check(
        &CLICKHOUSE,
        &[&picking, &asking],
        &[("SELECT employee_id FROM seniors", MASKED), ("SELECT name FROM paid", MASKED)],
        &["SELECT * EXCEPT (salary) FROM employees", "SELECT employee_id, salary IS NULL AS unpaid FROM employees"],
    );
    let Some(mut database) = Database::of(&CLICKHOUSE) else { return };
    database.alter(
        "CREATE TABLE tagged (id UInt64, a String, b String MATERIALIZED concat('t', a)) ENGINE = MergeTree ORDER BY id",
    );
    database.learn(open);
    let run = |database: &Database| database.guarded("SELECT b FROM tagged", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok());
    database.alter("ALTER TABLE tagged MODIFY COLUMN b String MATERIALIZED a");
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("another expression")), "{verdict:?}");
}

/// DuckDB dies of documents that are too deep, and can't be stopped while it makes a list.
#[test]
fn duckdb_makes_no_endless_list_and_no_bottomless_document() {
    check(
        &DUCKDB,
        &["CREATE TABLE moods (id INTEGER PRIMARY KEY, salary ENUM('high', 'low'))"],
        &[
            (
                "SELECT len(range(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL '1 microsecond'))",
                "resource_bomb",
            ),
            ("SELECT len(range(TIMESTAMP '2000-01-01', TIMESTAMP '2009-06-01', INTERVAL 1 SECOND))", "resource_bomb"),
            ("SELECT json_structure(replace(repeat('x', 200000), 'x', '['))", "resource_bomb"),
            ("SELECT from_json('[]', repeat('[', 5000) || '\"INTEGER\"' || repeat(']', 5000))", "resource_bomb"),
            ("SELECT salary FROM moods", MASKED),
            ("SELECT employee_id FROM employees WHERE salary = 0.00000000000000000000000000000001", MASKED),
        ],
        &[
            "SELECT * EXCLUDE (salary) FROM employees",
            "SELECT count(salary) FROM moods WHERE salary IS NOT NULL",
            "SELECT id FROM moods WHERE salary = 'low'",
            "SELECT len(range(DATE '2020-01-01', DATE '2026-01-01', INTERVAL 1 DAY))",
            "SELECT json_extract('{\"a\": 1}', '$.a')",
        ],
    );
}

/// The server tells whoever hasn't all rights of a view's owner nothing of statements over the view.
#[test]
fn views_that_run_with_their_owners_rights_are_told_apart() {
    let Some(mut database) = Database::of(&MARIADB) else { return };
    for statement in [
        "CREATE VIEW staff_of AS SELECT employee_id, name, salary FROM employees",
        "CREATE VIEW staff_names AS SELECT employee_id, name FROM staff_of",
        "CREATE VIEW named AS SELECT name, count(*) AS many FROM employees GROUP BY name",
        "CREATE VIEW rich AS SELECT employee_id FROM employees WHERE salary > 10",
    ] {
        database.alter(statement);
    }
    database.learn(open);
    database.read_by_another(&[
        "CREATE OR REPLACE USER 'periplus_reader'@'%'",
        "GRANT SELECT, SHOW VIEW ON *.* TO 'periplus_reader'@'%'",
    ]);
    let refused = [
        ("SELECT salary FROM staff_of", MASKED),
        ("SELECT * FROM staff_of", MASKED),
        ("SELECT name FROM staff_of ORDER BY salary", MASKED),
        ("SELECT employee_id FROM rich", MASKED),
        ("SELECT n.name, (SELECT max(salary) FROM employees) FROM staff_names n", MASKED),
    ];
    let runs = [
        "SELECT employee_id, name FROM staff_of ORDER BY employee_id",
        "SELECT v.name FROM staff_of AS v JOIN staff_names AS n ON n.employee_id = v.employee_id WHERE n.name <> 'x'",
        "SELECT name, many FROM named ORDER BY many DESC LIMIT 3",
        "WITH first AS (SELECT name FROM staff_names) SELECT count(*) FROM first",
        "SELECT count(salary) FROM staff_of",
    ];
    judge(&database, &refused, &runs);
    database.alter("DROP USER 'periplus_reader'@'%'");
}

/// Over a key masked columns may be joined; it has to be one when the statement runs.
#[test]
fn a_key_that_is_dropped_is_none_any_more() {
    let made = [
        "CREATE TABLE guests (id INT PRIMARY KEY, salary INT UNIQUE, city VARCHAR(20))",
        "CREATE TABLE stays (id INT PRIMARY KEY, salary INT, nights INT, CONSTRAINT of_guests FOREIGN KEY (salary) REFERENCES \
         guests (salary))",
        "INSERT INTO guests VALUES (1, 10, 'Graz'), (2, 20, 'Linz')",
    ];
    let joined = "SELECT s.nights FROM stays s JOIN guests g ON g.salary = s.salary";
    let refused = [(joined, "table_changed")];
    let runs = ["SELECT city FROM guests", "SELECT count(*) FROM stays"];
    check_changed(&POSTGRES, &made, &["ALTER TABLE stays DROP CONSTRAINT of_guests"], &refused, &runs);
    let dropped = ["ALTER TABLE stays DROP FOREIGN KEY of_guests", "ALTER TABLE stays DROP INDEX of_guests"];
    check_changed(&MARIADB, &made, &dropped, &refused, &runs);
    let itself = "SELECT a.id FROM guests a JOIN guests b ON a.salary = b.salary";
    let unique = ["CREATE TABLE guests (id INT PRIMARY KEY, salary INT UNIQUE, city VARCHAR(20))"];
    let no_key = ["ALTER TABLE guests DROP CONSTRAINT guests_salary_key"];
    check_changed(&POSTGRES, &unique, &no_key, &[(itself, "table_changed")], &["SELECT city FROM guests"]);
    // What is unique in a parent isn't so in its children.
    let child = ["CREATE TABLE regulars () INHERITS (guests)"];
    check_changed(&POSTGRES, &unique, &child, &[(itself, "table_changed")], &[]);
}

/// What was put into a full-text index that keeps no texts, nobody can say.
#[test]
fn an_index_without_texts_is_closed() {
    check(
        &SQLITE,
        &[
            "CREATE VIRTUAL TABLE found USING fts5(code, terms, content='')",
            "INSERT INTO found (rowid, code, terms) SELECT employee_id, name, salary FROM employees",
            "CREATE VIRTUAL TABLE found_words USING fts5vocab(found, instance)",
            "CREATE VIRTUAL TABLE memos USING fts5(title, body)",
        ],
        &[
            ("SELECT count(*) FROM found WHERE found MATCH 'code:a AND terms:1*'", MASKED),
            ("SELECT code FROM found", MASKED),
            ("SELECT term FROM found_words", MASKED),
        ],
        &["SELECT title FROM memos WHERE memos MATCH 'two'"],
    );
}

/// What gives on others' rows may be pointed at other tables.
#[test]
fn what_a_table_gives_on_is_what_it_gave_on() {
    check_changed(
        &CLICKHOUSE,
        &[
            "CREATE TABLE places_of (id UInt64, city String) ENGINE = MergeTree ORDER BY id",
            "CREATE TABLE all_places (id UInt64, city String) ENGINE = Merge(currentDatabase(), '^places_')",
            "CREATE DICTIONARY by_id (id UInt64, city String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'places_of')) \
             LAYOUT(HASHED()) LIFETIME(0)",
        ],
        &["CREATE VIEW places_alt AS SELECT toUInt64(employee_id) AS id, toString(salary) AS city FROM employees"],
        &[("SELECT city FROM all_places", "table_changed")],
        &["SELECT city FROM by_id"],
    );
}

#[test]
fn a_generated_column_is_made_as_it_was() {
    check_changed(
        &SQLITE,
        &["CREATE TABLE marks (id INTEGER PRIMARY KEY, dept TEXT, salary INTEGER, cls TEXT AS (dept || 'x'))"],
        &["ALTER TABLE marks DROP COLUMN cls", "ALTER TABLE marks ADD COLUMN cls TEXT AS ('' || salary)"],
        &[("SELECT id, cls FROM marks", "table_changed")],
        &[],
    );
}

#[test]
fn constants_in_the_columns_own_type_are_looked_up() {
    let made = ["CREATE TABLE born (id INT PRIMARY KEY, salary DATE, code UUID)"];
    let runs = [
        "SELECT id FROM born WHERE salary = '1990-01-01'::date",
        "SELECT id FROM born WHERE salary = CAST('1990-01-01' AS DATE)",
        "SELECT id FROM born WHERE salary IS NOT DISTINCT FROM DATE '1990-01-01'",
    ];
    let refused = [
        ("SELECT id FROM born WHERE salary = '1990-01-01'::timestamp", MASKED),
        ("SELECT id FROM born WHERE salary::text = '1990-01-01'", MASKED),
        ("SELECT id FROM born WHERE salary = ('1990-01-0' || '1')::date", MASKED),
    ];
    check(&POSTGRES, &made, &refused, &runs);
}

/// A full-text column beside the text that it is made of is as open as that.
#[test]
fn a_generated_index_of_open_texts_is_open() {
    let made = ["CREATE TABLE goods (id INT PRIMARY KEY, title TEXT, salary INT, words TSVECTOR GENERATED ALWAYS AS \
         (to_tsvector('simple', coalesce(title, ''))) STORED, paid TSVECTOR GENERATED ALWAYS AS \
         (to_tsvector('simple', salary::text)) STORED)"];
    let runs = ["SELECT id FROM goods WHERE words @@ to_tsquery('simple', 'shoe')"];
    check(&POSTGRES, &made, &[("SELECT id FROM goods WHERE paid @@ to_tsquery('simple', '10')", MASKED)], &runs);
}

/// DuckDB looks for what a view names in the view's own schema first, and does so anew each time.
#[test]
fn a_views_names_are_those_of_its_schema() {
    let Some(mut database) = Database::of(&DUCKDB) else { return };
    for statement in [
        "CREATE SCHEMA hr",
        "CREATE TABLE notes (id INTEGER, salary INTEGER, comment VARCHAR)",
        "CREATE TABLE hr.notes (id INTEGER, comment INTEGER, salary VARCHAR)",
        "CREATE VIEW hr.remarks AS SELECT n.id, n.salary AS text FROM notes n",
        "CREATE TABLE cities (id INTEGER, label VARCHAR)",
        "CREATE VIEW hr.places AS SELECT c.id, c.label FROM cities c",
    ] {
        database.alter(statement);
    }
    database.learn(|table| {
        let mut profile = open(table)?;
        let is_outer = table.id.name == "notes" && table.id.schema.as_deref() == Some("main");
        profile.columns.iter_mut().filter(|_| is_outer).for_each(|column| column.masked = None);
        Some(profile)
    });
    judge(&database, &[("SELECT text FROM hr.remarks", MASKED)], &["SELECT id, label FROM hr.places"]);
    let view = database.catalog.entries().iter().find(|entry| entry.table.id.name == "remarks").unwrap();
    assert!(view.exposure("text").mask().is_some(), "{:?}", view.exposure("text"));
    database.alter("CREATE TABLE hr.cities AS SELECT id, 'ann@example.org' AS label FROM notes");
    judge(&database, &[("SELECT id, label FROM hr.places", "table_changed")], &["SELECT id, label FROM cities"]);
}

/// Whether there is a value tells nothing of one that somebody has put there, and a condition of one that is made.
#[test]
fn whether_a_made_value_is_there_is_a_condition() {
    let generated = "band VARCHAR(9) GENERATED ALWAYS AS (CASE WHEN salary > 6000 THEN 'y' END)";
    let views = [
        "CREATE VIEW bands AS SELECT id, nullif(salary, 4500) AS left_over, salary FROM wages",
        "CREATE VIEW unpaid AS SELECT id, city FROM wages WHERE salary IS NULL",
        "CREATE VIEW above AS SELECT w.id AS id, o.city AS city FROM wages w LEFT JOIN wages o ON o.id = w.id AND o.salary > 6000",
        "CREATE VIEW rich AS SELECT id, city FROM wages WHERE salary > 6000",
    ];
    let refused = [
        ("SELECT id FROM wages WHERE band IS NULL", MASKED),
        ("SELECT id, band IS NOT NULL AS has FROM wages", MASKED),
        ("SELECT id, count(band) FROM wages GROUP BY id", MASKED),
        ("SELECT id FROM bands WHERE left_over IS NULL", MASKED),
        ("SELECT id, count(left_over) FROM bands GROUP BY id", MASKED),
        ("SELECT count(city) FROM above", MASKED),
        ("SELECT city IS NULL AS missing FROM above", MASKED),
        // One constant picks everybody of a class.
        ("SELECT id FROM wages WHERE band = 'y'", MASKED),
        ("SELECT id FROM bands WHERE left_over = 5000", MASKED),
        ("SELECT count(*) FROM above WHERE city = 'Rome'", MASKED),
        ("SELECT count(*) FROM rich WHERE id = 2", MASKED),
    ];
    let runs = [
        "SELECT id FROM wages WHERE salary IS NULL",
        "SELECT id FROM bands WHERE salary = 4500",
        "SELECT count(salary) FROM bands",
        "SELECT id, city FROM unpaid",
        "SELECT id FROM bands",
    ];
    let table = |id: &str, text: &str, generated: &str| {
        format!("CREATE TABLE wages (id {id} PRIMARY KEY, city {text}, salary {id}, {generated})")
    };
    for engine in [&SQLITE, &DUCKDB, &MARIADB] {
        let made = table("INTEGER", "VARCHAR(9)", generated);
        check(engine, &[&made, views[0], views[1], views[2], views[3]], &refused, &runs);
    }
    let made = table("INTEGER", "VARCHAR(9)", &format!("{generated} STORED"));
    check(&POSTGRES, &[&made, views[0], views[1], views[2], views[3]], &refused, &runs);
    let made = "CREATE TABLE wages (id Int32, city Nullable(String), salary Nullable(Int32), \
                band Nullable(String) MATERIALIZED if(salary > 6000, 'y', NULL)) ENGINE = MergeTree ORDER BY id";
    check(&CLICKHOUSE, &[made, views[0], views[1], views[2], views[3]], &refused, &runs);
}

/// FINAL makes rows with the same sorting key one, and leaves the one with the greatest version.
#[test]
fn clickhouse_merges_no_rows_by_masked_values() {
    check(
        &CLICKHOUSE,
        &[
            "CREATE TABLE by_pay (id Int32, salary String, city String) ENGINE = ReplacingMergeTree ORDER BY salary",
            "CREATE TABLE by_term (id Int32, salary String) ENGINE = ReplacingMergeTree ORDER BY lower(salary)",
            "CREATE TABLE versions (id Int32, salary Int32) ENGINE = ReplacingMergeTree(salary) ORDER BY id",
            "CREATE TABLE plain (id Int32, salary String, version UInt8) ENGINE = ReplacingMergeTree(version) ORDER BY id",
        ],
        &[
            ("SELECT id FROM by_pay FINAL", MASKED),
            ("SELECT id FROM by_term final WHERE id > 1", MASKED),
            ("SELECT versions.id FROM versions FINAL", MASKED),
        ],
        &["SELECT plain.id FROM plain FINAL", "SELECT id, count(salary) FROM plain FINAL GROUP BY id"],
    );
    check(
        &CLICKHOUSE,
        &[
            "CREATE TABLE kept (id Int32, salary String, city String) ENGINE = ReplacingMergeTree ORDER BY salary",
            "CREATE TABLE united (id Int32, city String) ENGINE = Merge(currentDatabase(), '^kept$')",
        ],
        &[("SELECT id FROM united FINAL", "not_understood")],
        &["SELECT id FROM united"],
    );
}

/// Rows are sorted for a DISTINCT, and every aggregate beside it gets them so.
#[test]
fn beside_a_count_of_different_values_nothing_tells_an_order() {
    let refused = [
        ("SELECT array_agg(employee_id), count(DISTINCT salary) FROM employees", MASKED),
        ("SELECT count(DISTINCT salary), string_agg(name, ',') FROM employees", MASKED),
        (
            "SELECT sum(CASE employee_id WHEN 1 THEN 1e16 WHEN 2 THEN 1 ELSE 0 END), count(DISTINCT salary) FROM employees",
            MASKED,
        ),
    ];
    let refused = refused.into_iter().chain([
        ("SELECT max(employee_id), count(DISTINCT salary) FROM employees", MASKED),
        ("SELECT sum(employee_id) FILTER (WHERE employee_id < 9), count(DISTINCT salary) FROM employees", MASKED),
    ]);
    let refused: Vec<(&str, &str)> = refused.collect();
    let runs =
        ["SELECT count(DISTINCT salary), count(*), round(1.0 * count(DISTINCT salary) / count(*), 2) FROM employees"];
    check(&POSTGRES, &[], &refused, &runs);
    check(&DUCKDB, &[], &refused, &runs);
}

/// Two made values are equal where there is a value at all.
#[test]
fn made_values_are_equated_with_nothing() {
    let made = [
        "CREATE TABLE guests (id INTEGER PRIMARY KEY, salary INTEGER, \
         vip VARCHAR(20) GENERATED ALWAYS AS (CASE WHEN salary > 6000 THEN 'v' || id END))",
        "CREATE UNIQUE INDEX vips ON guests (vip)",
    ];
    let refused = [
        ("SELECT id FROM guests WHERE vip = vip", MASKED),
        ("SELECT p.id FROM guests p JOIN guests q ON p.vip = q.vip", MASKED),
    ];
    check(&SQLITE, &made, &refused, &["SELECT id FROM guests"]);
}

/// An aggregate of a column of the query around it belongs to that one.
#[test]
fn an_aggregate_in_a_subquery_may_be_of_the_query_around_it() {
    check(
        &SQLITE,
        &[
            "CREATE VIEW best AS SELECT manager_id, employee_id, (SELECT max(salary)) AS k FROM employees GROUP BY manager_id",
        ],
        &[("SELECT employee_id FROM best", MASKED)],
        &[],
    );
}

/// What a masked column can hold stands in its type.
#[test]
fn a_masked_list_of_values_is_not_described() {
    let made = [
        "CREATE TABLE grades (id INT PRIMARY KEY, salary ENUM('low', 'high'))",
        "CREATE TABLE `old-grades` (id INT PRIMARY KEY, salary ENUM('low', 'high'))",
    ];
    check(
        &MARIADB,
        &made,
        &[("DESCRIBE grades", MASKED), ("EXPLAIN grades", MASKED), ("DESC `old-grades`", MASKED)],
        &["DESCRIBE employees"],
    );
}

/// PostgreSQL's IS NULL asks each field of a row.
#[test]
fn whether_all_fields_of_a_masked_row_are_there_is_not_told() {
    let made = [
        "CREATE TYPE place AS (street text, zip text)",
        "CREATE TABLE persons (id integer PRIMARY KEY, salary place, email text)",
        "CREATE VIEW complete AS SELECT id FROM persons WHERE salary IS NOT NULL",
    ];
    let refused = [
        ("SELECT id FROM persons WHERE salary IS NOT NULL", MASKED),
        ("SELECT id, salary IS NULL AS missing FROM persons", MASKED),
        ("SELECT id FROM complete", MASKED),
    ];
    check(&POSTGRES, &made, &refused, &["SELECT id FROM persons WHERE email IS NOT NULL"]);
}
