//! What statements make of what they read, in the dialects that have them.

use std::fmt::Write as _;

use catalog::{Catalog, Column, Dialect, Entry, Source, Table, TableId, TableKind};
use sql::{CatalogSchema, ColumnRef, Origin, StatementLineage, read_view, script_lineage};

use crate::schema::{SOURCE, catalog};

const ALL: &str = "sqlite postgres mysql duckdb clickhouse";

/// A line for what each statement reads, makes and changes.
fn told(script: &str, dialect: &str) -> String {
    let dialect = Dialect::from_name(dialect);
    let catalog = catalog(&dialect, &[]);
    let schema = CatalogSchema::new(&catalog, SOURCE);
    script_lineage(script, &dialect, &schema, SOURCE)
        .iter()
        .map(|statement| line(statement, &catalog))
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(statement: &StatementLineage, catalog: &Catalog) -> String {
    let mut line = String::new();
    let column = |column: &ColumnRef| match column.table.name.as_str() {
        "" => format!("?.{}", column.column),
        _ => format!("{}.{}", column.table.local(), column.column),
    };
    for made in &statement.made {
        let table = made.table.as_ref().map_or("result".to_owned(), |table| table.local());
        let columns = made.columns.iter().map(|it| {
            let sources: Vec<String> = it.sources.iter().map(column).collect();
            let sign = match it.origin {
                Origin::Column => "=",
                Origin::Computed => "<-",
                Origin::Aggregated => "<<",
            };
            format!("{} {sign} {}", it.name.as_deref().unwrap_or("*"), sources.join("+"))
        });
        let columns: Vec<String> = columns.collect();
        let _ = write!(line, "{table}({})", columns.join(", ").replace(" = ,", " = nothing,"));
    }
    let names = |tables: &[catalog::TableId]| tables.iter().map(|table| table.local()).collect::<Vec<_>>().join(" ");
    if !statement.reads.is_empty() {
        let _ = write!(line, " of {}", names(&statement.reads));
    }
    if !statement.changed.is_empty() {
        let _ = write!(line, "changes {}", names(&statement.changed));
    }
    for unsure in &statement.unsure {
        let _ = write!(line, " unsure: {} of {}", unsure.name, unsure.tables.join("|"));
    }
    if statement.problem.is_some() {
        line.push_str("not read");
    }
    if !statement.may_fill.is_empty() {
        let listed: Vec<TableId> =
            statement.may_read.iter().filter(|it| catalog.entry(it).is_some()).cloned().collect();
        let _ = write!(line, ", may fill {} from {}", names(&statement.may_fill), names(&listed));
    }
    line
}

#[test]
fn statements_say_what_they_make_of_what_they_read() {
    let cases = [
        (ALL, "SELECT total, status AS s FROM orders", "result(total = orders.total, s = orders.status) of orders"),
        (
            ALL,
            "CREATE VIEW paid AS SELECT order_id, total * 2 AS twice FROM orders WHERE status = 'paid'",
            "paid(order_id = orders.order_id, twice <- orders.total) of orders",
        ),
        (
            "postgres duckdb mysql sqlite",
            "CREATE VIEW sums (who, amount) AS SELECT customer_id, sum(total) FROM orders GROUP BY customer_id",
            "sums(who = orders.customer_id, amount << orders.total) of orders",
        ),
        (
            ALL,
            "CREATE TABLE copy AS SELECT * FROM payments",
            "copy(payment_id = payments.payment_id, order_id = payments.order_id, amount = payments.amount) of payments",
        ),
        (
            "postgres",
            "UPDATE ONLY orders SET total = amount FROM ONLY (public.payments), ONLY customers",
            "orders(total = payments.amount) of payments customers",
        ),
        (
            ALL,
            "INSERT INTO copy OVERRIDING ?? SELECT total FROM orders, far JOIN (x)",
            "changes copynot read, may fill copy from orders",
        ),
        (
            "postgres",
            "DO $$ BEGIN IF (SELECT max(total) FROM orders) > 5 THEN INSERT INTO copy VALUES (1); END IF; END $$",
            "changes copynot read, may fill copy from orders",
        ),
        (
            "postgres",
            "DO $$ BEGIN INSERT INTO copy SELECT total FROM orders; END $$",
            "\ncopy(total = orders.total) of orders",
        ),
        ("postgres", "ALTER TABLE stage.orders SET SCHEMA public", "not read, may fill orders from "),
        (ALL, "CREATE TABLE copy (a INTEGER ?? REFERENCES orders (total))", "changes copynot read"),
        // What a statement makes is known to those after it, also by its columns.
        (
            ALL,
            "CREATE TABLE a AS SELECT order_id, amount AS paid FROM payments; CREATE TABLE b AS SELECT * FROM a",
            "a(order_id = payments.order_id, paid = payments.amount) of payments\nb(order_id = a.order_id, paid = a.paid) of a",
        ),
        // A list of columns, or the table's own, name what is inserted by position.
        (
            ALL,
            "INSERT INTO payments (amount, order_id) SELECT total, order_id FROM orders",
            "payments(amount = orders.total, order_id = orders.order_id) of orders",
        ),
        (
            ALL,
            "INSERT INTO payments SELECT line, order_id, quantity FROM order_lines",
            "payments(payment_id = order_lines.line, order_id = order_lines.order_id, amount = order_lines.quantity) of \
             order_lines",
        ),
        (
            ALL,
            "INSERT INTO elsewhere SELECT o.total, x.y FROM orders o JOIN unknown x ON x.id = o.order_id",
            "elsewhere(total = orders.total, y = unknown.y) of orders unknown",
        ),
        // Without a qualifier it is whose column it can be.
        (
            ALL,
            "INSERT INTO elsewhere SELECT total, y FROM orders JOIN unknown ON x = order_id",
            "elsewhere(total = orders.total, y = unknown.y) of orders unknown",
        ),
        (
            ALL,
            "INSERT INTO elsewhere SELECT y FROM one JOIN two ON one.x = two.x",
            "elsewhere(y = ?.y) of one two unsure: y of one|two",
        ),
        (ALL, "INSERT INTO elsewhere SELECT * FROM unknown", "elsewhere(* = unknown.*) of unknown"),
        (ALL, "CREATE TABLE t AS SELECT a FROM (SELECT * FROM unknown) AS inside", "t(a = unknown.a) of unknown"),
        (
            ALL,
            "CREATE TABLE t AS SELECT x FROM (SELECT * FROM one UNION ALL SELECT * FROM two) AS both_of_them",
            "t(x = one.x+two.x) of one two",
        ),
        // Conditions of values, windows and filters are part of what a value is made from.
        (
            "postgres sqlite duckdb",
            "SELECT CASE WHEN status IS NULL THEN total END AS a, count(*) FILTER (WHERE details = 'x') AS b, \
             row_number() OVER (PARTITION BY customer_id ORDER BY ordered_on) AS c FROM orders",
            "result(a <- orders.status+orders.total, b << orders.details, c <- orders.customer_id+orders.ordered_on) of orders",
        ),
        (
            ALL,
            "WITH used AS (SELECT total FROM orders), unused AS (SELECT amount FROM payments) SELECT total FROM used",
            "result(total = orders.total) of orders",
        ),
        (
            "postgres sqlite mysql duckdb",
            "WITH RECURSIVE chain AS (SELECT employee_id, name FROM employees WHERE manager_id IS NULL UNION ALL \
             SELECT e.employee_id, e.name FROM employees e JOIN chain c ON e.manager_id = c.employee_id) SELECT name FROM chain",
            "result(name = employees.name) of employees",
        ),
        // What is changed isn't read for that.
        (
            "postgres sqlite duckdb",
            "UPDATE orders SET total = p.amount FROM payments p WHERE p.order_id = orders.order_id",
            "orders(total = payments.amount) of payments",
        ),
        (
            "mysql",
            "UPDATE orders o JOIN payments p ON p.order_id = o.order_id SET o.total = p.amount",
            "orders(total = payments.amount) of payments",
        ),
        (ALL, "DELETE FROM orders WHERE order_id IN (SELECT order_id FROM payments)", "orders() of payments"),
        (
            "postgres duckdb",
            "MERGE INTO payments t USING order_lines s ON t.order_id = s.order_id \
             WHEN MATCHED THEN UPDATE SET amount = s.quantity + 1 \
             WHEN NOT MATCHED THEN INSERT (order_id, amount) VALUES (s.order_id, s.quantity)",
            "payments(amount <- order_lines.quantity, order_id = order_lines.order_id, amount = order_lines.quantity) of \
             order_lines",
        ),
        (
            "postgres sqlite duckdb",
            "INSERT INTO payments (payment_id, amount) SELECT line, quantity FROM order_lines WHERE true \
             ON CONFLICT (payment_id) DO UPDATE SET amount = payments.amount + excluded.amount",
            "payments(payment_id = order_lines.line, amount = order_lines.quantity, amount <- order_lines.quantity+\
             payments.amount) of order_lines",
        ),
        ("postgres", "SELECT total INTO TEMP t FROM orders", "t(total = orders.total) of orders"),
        (
            "mysql",
            "RENAME TABLE payments TO paid",
            "paid(payment_id = payments.payment_id, order_id = payments.order_id, \
             amount = payments.amount) of payments",
        ),
        ("mysql", "USE shop; INSERT INTO t SELECT a FROM s", "\nshop.t(a = shop.s.a) of shop.s"),
        (ALL, "DROP TABLE orders; TRUNCATE TABLE payments", "changes orders\nchanges payments"),
        (
            "clickhouse",
            "CREATE MATERIALIZED VIEW mv TO filled AS SELECT dictGet('countries', 'name', customer_id) AS n FROM orders",
            "mv(n <- orders.customer_id+countries.name)filled(n <- orders.customer_id+countries.name) of orders countries",
        ),
        (
            "duckdb",
            "SELECT * FROM (SELECT status, ordered_on, total FROM orders) PIVOT (sum(total) FOR status IN ('a', 'b'))",
            "result(ordered_on = orders.ordered_on, a << orders.total, b << orders.total) of orders",
        ),
        ("duckdb", "CREATE TABLE t AS SELECT a FROM 'data/*.csv'", "t(a = data/*.csv.a) of data/*.csv"),
        (
            "mysql",
            "CREATE PROCEDURE p() BEGIN INSERT INTO t (a) SELECT total FROM orders; END",
            "t(a = orders.total) of orders, may fill p() from orders",
        ),
        (
            "postgres",
            "CREATE FUNCTION f() RETURNS void AS $$ BEGIN IF x THEN INSERT INTO t (a) SELECT total FROM orders; END IF; \
             MERGE INTO payments p USING orders o ON true WHEN MATCHED THEN UPDATE SET amount = o.total; END $$ LANGUAGE plpgsql",
            ", may fill t payments set f() from orders payments\nt(a = orders.total) of orders\npayments(amount = orders.total) of orders",
        ),
        (
            "postgres",
            "SET search_path TO shop, public; INSERT INTO t SELECT a FROM s",
            "\nshop.t(a = shop.s.a) of shop.s",
        ),
        // The first schema of the path is where new tables come to; what is there already is looked for in all.
        (
            "postgres",
            "SET search_path = \"$user\", public; CREATE TABLE t AS SELECT a FROM s",
            "\npublic.t(a = public.s.a) of public.s",
        ),
        (
            "postgres",
            "SET search_path TO etl, shop; CREATE TABLE shop.s (a INT); INSERT INTO t SELECT a FROM s",
            "\nshop.s(a <- )\netl.t(a = shop.s.a) of shop.s",
        ),
        (
            "postgres",
            "WITH gone AS (DELETE FROM orders RETURNING order_id, total AS t) INSERT INTO kept SELECT t FROM gone",
            "kept(t = orders.total)orders() of orders",
        ),
        // One that can't be read doesn't take the others with it.
        (ALL, "SELEC 1; SELECT total FROM orders", "not read\nresult(total = orders.total) of orders"),
    ];
    let mut failures = Vec::new();
    for (dialects, script, expected) in cases {
        for dialect in dialects.split(' ') {
            let told = told(script, dialect);
            if told != expected {
                failures.push(format!("{dialect}: {script}\n  is  {told}\n  not {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn whatever_the_text_there_is_an_answer() {
    for dialect in ALL.split(' ') {
        assert_eq!(told("", dialect), "");
        assert_eq!(told(" ;; -- nothing\n;", dialect), "");
        assert_eq!(told("SELECT 'open", dialect), "not read");
        assert_eq!(told(&format!("SELECT {}1", "(".repeat(5_000)), dialect), "not read");
    }
}

#[test]
fn a_view_may_name_its_own_database_and_no_other() {
    let table = |name: &str, definition: Option<&str>| {
        let id = TableId { source: "wh".to_owned(), schema: Some("main".to_owned()), name: name.to_owned() };
        let kind = if definition.is_some() { TableKind::View } else { TableKind::Table };
        let columns = vec![Column::new("id", "INTEGER")];
        Table { columns, kind, definition: definition.map(str::to_owned), ..Table::new(id) }
    };
    for (definition, is_followed) in [
        ("SELECT id FROM shop.main.people", true),
        ("SELECT p.id FROM shop.main.people AS p", true),
        ("SELECT id FROM other.main.people", false),
    ] {
        let view = table("v", Some(definition));
        let entries = [table("people", None), view.clone()].map(Entry::bare).to_vec();
        let source = Source::new("wh", Dialect::Duckdb, "duckdb:data/shop.duckdb");
        let read = read_view(&view, &Catalog::new(vec![source], entries, Vec::new(), 0)).unwrap();
        assert_eq!(read.is_followed, is_followed, "{definition}");
        assert_eq!(read.tables.iter().map(TableId::local).next().as_deref(), is_followed.then_some("main.people"));
    }
}
