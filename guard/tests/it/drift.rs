//! Tables that have changed since they were indexed, in every engine: nothing comes out of them, in whatever form it is
//! asked for, and what didn't change is read as before.

use connect::Limits;
use guard::{GuardError, Policy};

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};

/// Something that somebody does, how it is undone, and what statements are then refused for.
struct Change {
    made: &'static [&'static str],
    undone: &'static [&'static str],
    statements: &'static [&'static str],
    code: &'static str,
}

const ADDED: &[&str] = &[
    "SELECT * FROM shifts",
    "SELECT s.* FROM shifts s",
    "SELECT shift_id FROM shifts",
    "SELECT count(*) FROM shifts",
    "WITH c AS (SELECT * FROM shifts) SELECT * FROM c",
    "SELECT (SELECT count(*) FROM shifts) AS n FROM orders",
];
const WHOLE_ROWS: &[&str] = &[
    "SELECT s FROM shifts s",
    "SELECT s::text FROM shifts s",
    "SELECT to_jsonb(s) FROM shifts s",
    "SELECT row_to_json(s) FROM shifts s",
    "SELECT json_agg(s) FROM shifts s",
    "SELECT max(s::text) FROM shifts s",
    "WITH c AS (SELECT * FROM shifts) SELECT c FROM c",
];
const ROW_OF_DUCKDB: &[&str] = &["SELECT s FROM shifts s", "SELECT max(s::varchar) FROM shifts s"];
const ARCHIVE: &[&str] = &["SELECT sku FROM order_lines_archive", "SELECT * FROM order_lines_archive"];
const VIEW: &[&str] = &["SELECT total FROM paid_orders", "SELECT * FROM paid_orders"];

const ADD: Change = Change {
    made: &["ALTER TABLE shifts ADD COLUMN ssn VARCHAR(20)"],
    undone: &["ALTER TABLE shifts DROP COLUMN ssn"],
    statements: ADDED,
    code: "column_not_in_catalog",
};
const SWAP: Change = Change {
    made: &[
        "ALTER TABLE order_lines_archive RENAME COLUMN order_id TO other",
        "ALTER TABLE order_lines_archive RENAME COLUMN line TO order_id",
        "ALTER TABLE order_lines_archive RENAME COLUMN other TO line",
    ],
    undone: &[
        "ALTER TABLE order_lines_archive RENAME COLUMN order_id TO other",
        "ALTER TABLE order_lines_archive RENAME COLUMN line TO order_id",
        "ALTER TABLE order_lines_archive RENAME COLUMN other TO line",
    ],
    statements: ARCHIVE,
    code: "table_changed",
};
const NOW_A_VIEW: Change = Change {
    made: &[
        "ALTER TABLE order_lines_archive RENAME TO kept_lines",
        "CREATE VIEW order_lines_archive AS SELECT order_id, line, sku, quantity FROM order_lines",
    ],
    undone: &["DROP VIEW order_lines_archive", "ALTER TABLE kept_lines RENAME TO order_lines_archive"],
    statements: ARCHIVE,
    code: "table_changed",
};
const ANOTHER_QUERY: Change = Change {
    made: &[
        "DROP VIEW paid_orders",
        "CREATE VIEW paid_orders AS SELECT order_id, customer_id, total FROM orders WHERE status <> 'paid'",
    ],
    undone: &[],
    statements: VIEW,
    code: "table_changed",
};
const BENEATH_A_VIEW: Change = Change {
    made: &["ALTER TABLE orders ADD COLUMN card VARCHAR(20)"],
    undone: &["ALTER TABLE orders DROP COLUMN card"],
    statements: VIEW,
    code: "column_not_in_catalog",
};
const GONE: Change = Change {
    made: &["ALTER TABLE shifts RENAME COLUMN held_on TO was_on"],
    undone: &["ALTER TABLE shifts RENAME COLUMN was_on TO held_on"],
    statements: &["SELECT shift_id FROM shifts", "SELECT * FROM shifts"],
    code: "column_not_in_catalog",
};

fn code(database: &Database, sql: &str) -> String {
    // A pool that was used before must find out as well as one that is new.
    let connectors = [None, Some(connect::connect("spec", &database.dsn()).unwrap())];
    let mut codes = connectors.iter().map(|connector| {
        let connector = connector.as_deref().unwrap_or(database.connector.as_ref());
        let (policy, limits) = (Policy::default(), Limits::default());
        let ran = database.runtime.block_on(guard::run(sql, &database.catalog, connector, &policy, &limits));
        match ran {
            Ok(_) => "ok".to_owned(),
            Err(GuardError::Refused(verdict)) => {
                verdict.errors().map(|finding| finding.code).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.code().to_owned(),
        }
    });
    let (first, second) = (codes.next().unwrap(), codes.next().unwrap());
    assert_eq!(first, second, "{sql}");
    first
}

/// Every table and view that can be read is read, and nothing is taken for changed.
fn all_is_read(database: &Database) {
    for entry in database.catalog.tables_of("spec").filter(|entry| !entry.table.columns.is_empty()) {
        let dialect = database.catalog.dialect("spec");
        let sql = format!("SELECT count(*) AS n FROM {}", entry.table.id.written(dialect));
        let found = code(database, &sql);
        let change = found.contains("table_changed") || found.contains("column_not_in_catalog");
        assert!(!change, "{}: {sql}: {found}", database.engine.name);
    }
}

fn nothing_comes_out(engine: &'static Engine, changes: &[&Change], besides: &[&str]) {
    let Some(mut database) = Database::of(engine) else { return };
    all_is_read(&database);
    for change in changes {
        change.made.iter().for_each(|statement| database.alter(statement));
        let besides = besides.iter().filter(|_| change.made == ADD.made);
        for sql in change.statements.iter().chain(besides) {
            assert_eq!(code(&database, sql), change.code, "{}: {:?}: {sql}", engine.name, change.made);
        }
        change.undone.iter().for_each(|statement| database.alter(statement));
        if !change.undone.is_empty() {
            let sql = change.statements[0];
            assert_eq!(code(&database, sql), "ok", "{}: undone: {:?}: {sql}", engine.name, change.made);
        }
    }
}

#[test]
fn sqlite_hands_nothing_on_of_what_has_changed() {
    nothing_comes_out(&SQLITE, &[&ADD, &SWAP, &NOW_A_VIEW, &BENEATH_A_VIEW, &GONE, &ANOTHER_QUERY], &[]);
}

#[test]
fn postgresql_hands_nothing_on_of_what_has_changed() {
    let another_type = Change {
        made: &["ALTER TABLE order_lines_archive ALTER sku TYPE varchar(77)"],
        undone: &[],
        statements: ARCHIVE,
        code: "table_changed",
    };
    let changes = [&ADD, &SWAP, &NOW_A_VIEW, &BENEATH_A_VIEW, &GONE, &ANOTHER_QUERY, &another_type];
    nothing_comes_out(&POSTGRES, &changes, WHOLE_ROWS);
}

#[test]
fn mariadb_hands_nothing_on_of_what_has_changed() {
    nothing_comes_out(&MARIADB, &[&ADD, &SWAP, &NOW_A_VIEW, &BENEATH_A_VIEW, &GONE, &ANOTHER_QUERY], &[]);
}

#[test]
fn duckdb_hands_nothing_on_of_what_has_changed() {
    // What a key of another table points to can't be altered.
    nothing_comes_out(&DUCKDB, &[&ADD, &SWAP, &NOW_A_VIEW, &GONE, &ANOTHER_QUERY], ROW_OF_DUCKDB);
}

#[test]
fn clickhouse_hands_nothing_on_of_what_has_changed() {
    let now_a_view = Change {
        made: &[
            "RENAME TABLE order_lines_archive TO kept_lines",
            "CREATE VIEW order_lines_archive AS SELECT order_id, line, sku, quantity FROM order_lines",
        ],
        undone: &["DROP VIEW order_lines_archive", "RENAME TABLE kept_lines TO order_lines_archive"],
        statements: ARCHIVE,
        code: "table_changed",
    };
    nothing_comes_out(&CLICKHOUSE, &[&ADD, &SWAP, &now_a_view, &BENEATH_A_VIEW, &GONE, &ANOTHER_QUERY], &[]);
}

#[test]
fn a_name_that_means_another_table_by_the_search_path_is_refused() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE SCHEMA nearer");
    database.alter("CREATE TABLE nearer.shifts AS SELECT * FROM public.shifts");
    let path =
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = nearer, public', current_database()); END $$";
    database.alter(path);
    let connector = connect::connect("spec", &database.dsn()).unwrap();
    for (sql, expected) in [
        ("SELECT held_on FROM shifts", Some("table_changed")),
        ("SELECT held_on FROM public.shifts", None),
        ("SELECT a.held_on FROM public.shifts a JOIN shifts b ON a.shift_id = b.shift_id", Some("table_changed")),
    ] {
        let (policy, limits) = (Policy::default(), Limits::default());
        let ran = database.runtime.block_on(guard::run(sql, &database.catalog, connector.as_ref(), &policy, &limits));
        let found = match &ran {
            Ok(_) => None,
            Err(GuardError::Refused(verdict)) => verdict.errors().next().map(|finding| finding.code),
            Err(error) => panic!("{sql}: {error:?}"),
        };
        assert_eq!(found, expected, "{sql}");
    }
}

#[test]
fn statistics_of_postgresql_are_not_read_through_views() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE VIEW telling AS SELECT tablename, most_common_vals::text AS common FROM pg_stats");
    database.alter("CREATE MATERIALIZED VIEW above AS SELECT common FROM telling");
    let tables = database.runtime.block_on(database.connector.introspect()).unwrap();
    let source = database.catalog.source("spec").unwrap().clone();
    let entries = tables.into_iter().map(catalog::Entry::bare).collect();
    database.catalog = testkit::looked_at(&catalog::Catalog::new(vec![source], entries, Vec::new(), 2));
    // What the engine's own tables hold isn't in the catalog, so that nobody can say what the views are made from either.
    assert_eq!(code(&database, "SELECT common FROM telling"), "masked_column, system_catalog");
    assert_eq!(code(&database, "SELECT common FROM above"), "masked_column, system_catalog");
    assert_eq!(code(&database, "SELECT total FROM paid_orders"), "ok");
}
