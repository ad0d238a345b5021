use std::collections::BTreeSet;

use super::{
    CLICKHOUSE, ClickhouseServer, DUCKDB, DuckdbFiles, Language, Loaded, MYSQL, MysqlServer, POSTGRES, Place,
    PostgresServer, load, statements,
};
use crate::database::{TempDatabase, database};

/// Two tables that point at each other's kind, values that break out of literals, and a view of each sort.
const SOURCE: &str = r#"
    CREATE TABLE items (
        id INTEGER PRIMARY KEY, sheet_no VARCHAR(8) NOT NULL REFERENCES sheets,
        after INTEGER REFERENCES items ON DELETE CASCADE,
        price DECIMAL(10, 2), note TEXT DEFAULT 'it''s', paid BOOLEAN NOT NULL, made TIMESTAMP, day DATE, raw JSON
    );
    CREATE TABLE sheets (
        no VARCHAR(8) PRIMARY KEY, code CHAR(2) UNIQUE, twice INTEGER AS (length(no) * 2), "odd ""name" REAL,
        kind TEXT CHECK (kind <> '')
    );
    CREATE INDEX items_by_day ON items (day, paid);
    CREATE INDEX items_by_length ON items (length(note));
    CREATE UNIQUE INDEX paid_items ON items (sheet_no) WHERE paid;
    INSERT INTO sheets VALUES ('a', 'X1', 0.1, 'k'), ('b', NULL, NULL, NULL);
    INSERT INTO items VALUES
        (1, 'a', NULL, 12.5, 'a '' quote, a \ and "', 1, '2026-06-30 08:00:00', '1969-12-31', '{"a": "\"\\"}'),
        (2, 'b', 1, 7, NULL, 0, NULL, NULL, NULL);
    CREATE VIEW months AS SELECT strftime('%Y-%m', made) AS month, count(*) AS n FROM items GROUP BY 1;
    CREATE VIEW days AS SELECT julianday(made) AS day FROM items;
"#;

fn all(language: &dyn Language, database: &TempDatabase) -> (Vec<String>, BTreeSet<String>) {
    let mut found = Vec::new();
    let copied = statements(language, database.path(), &mut |sql| found.push(sql));
    assert_eq!(copied.rows, 4);
    (found, copied.left_out.into_iter().collect())
}

#[test]
fn tables_follow_those_they_point_to_and_what_is_missing_is_said() {
    let database = database(SOURCE);
    let (sql, left_out) = all(DUCKDB, &database);
    assert!(sql[0].starts_with("CREATE TABLE \"sheets\""), "{}", sql[0]);
    assert!(sql[0].contains(r#""odd ""name" DOUBLE,"#) && sql[0].contains(r#"UNIQUE ("code")"#), "{}", sql[0]);
    assert!(sql[2].contains(r#"FOREIGN KEY ("sheet_no") REFERENCES "sheets" ("no")"#), "{}", sql[2]);
    // One row for each statement, because they point at each other.
    assert!(
        sql[3].contains(r#""c4":"a '' quote, a \\ and \"","c5":true"#) && sql[4].contains(r#""c1":"b""#),
        "{sql:#?}"
    );
    assert!(sql.contains(&r#"CREATE INDEX "items_by_day" ON "items" ("day", "paid")"#.to_owned()), "{sql:#?}");
    assert!(sql.iter().any(|sql| sql.contains("SELECT strftime(made, '%Y-%m') AS month")), "{sql:#?}");
    let expected = [
        "actions of the foreign key `items.after`: the key alone is copied",
        "checks of `sheets`: SQLite tells of them in its own words only",
        "column `sheets.twice`: it is computed",
        "index `items_by_length`: it is on an expression",
        "index `paid_items`: it has a condition",
        "view `days`: it uses functions that only SQLite has",
    ];
    assert_eq!(left_out, expected.map(str::to_owned).into());

    let (sql, left_out) = all(CLICKHOUSE, &database);
    assert!(sql[0].contains(r#""code" Nullable(String)"#), "{}", sql[0]);
    assert!(sql[0].ends_with(r#") ENGINE = MergeTree ORDER BY ("no")"#), "{}", sql[0]);
    assert!(sql[3].contains(r#"'{"a": "\\"\\\\"}'"#), "{}", sql[3]);
    assert!(left_out.contains("foreign key after of `items`: ClickHouse has none"), "{left_out:?}");

    for language in [POSTGRES, MYSQL] {
        let (sql, left_out) = all(language, &database);
        assert_eq!(left_out, expected.map(str::to_owned).into(), "{}", language.name());
        assert_eq!(sql.iter().filter(|sql| sql.starts_with("ALTER TABLE")).count(), 2, "{sql:#?}");
    }
}

/// A row that is only made where the rows that were copied fulfil a condition, and can't be made again.
fn holds_what_was_copied(place: Box<dyn Place>) -> Loaded {
    let database = database(SOURCE);
    let mut loaded = load(place, database.path());
    assert_eq!(loaded.left_out().len(), 6);
    let condition =
        r#"note LIKE 'a '' quote%"' AND price = 12.5 AND paid AND day < '1970-01-01' AND made > '2026-06-30'"#;
    loaded.execute(&format!("INSERT INTO sheets SELECT 'c', 'X2', 1, 'k' FROM items WHERE {condition}"));
    for (no, code, lost) in [("c", "X3", "the row or the primary key"), ("d", "X1", "the unique")] {
        assert!(is_refused(&mut loaded, &format!("INSERT INTO sheets (no, code) VALUES ('{no}', '{code}')")), "{lost}");
    }
    loaded
}

/// Texts and NULL come back as they were written.
fn can_be_asked(loaded: &mut Loaded) {
    let rows = loaded.rows("SELECT id, note FROM items ORDER BY id");
    assert_eq!(rows[1], [Some("2".to_owned()), None]);
    assert!(rows[0][1].as_ref().is_some_and(|note| note.starts_with("a ' quote")), "{rows:?}");
    assert_eq!(rows.len(), 2);
}

fn is_refused(loaded: &mut Loaded, sql: &str) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| loaded.execute(sql))).is_err()
}

#[test]
fn a_copy_in_postgres_holds_what_was_copied() {
    let Some(url) = crate::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    can_be_asked(&mut holds_what_was_copied(Box::new(PostgresServer::at(&url))));
}

#[test]
fn a_copy_in_mariadb_holds_what_was_copied() {
    let Some(url) = crate::server_url("PERIPLUS_TEST_MYSQL") else { return };
    can_be_asked(&mut holds_what_was_copied(Box::new(MysqlServer::at(&url))));
}

#[test]
fn a_copy_in_duckdb_holds_what_was_copied() {
    let Some(library) = crate::server_url("PERIPLUS_TEST_DUCKDB") else { return };
    holds_what_was_copied(Box::new(DuckdbFiles::by(&library)));
}

#[test]
fn a_copy_in_clickhouse_holds_what_was_copied() {
    let Some(url) = crate::server_url("PERIPLUS_TEST_CLICKHOUSE") else { return };
    let database = database(SOURCE);
    let mut loaded = load(Box::new(ClickhouseServer::at(&url)), database.path());
    can_be_asked(&mut loaded);
    for (said, expected) in [("12.5", false), ("12.6", true)] {
        let row = format!(
            r#"note LIKE 'a '' quote%"' AND price = {said} AND paid AND day < '1970-01-01' AND made > '2026-06-30'"#
        );
        // There is nothing that a second row could be refused for.
        assert_eq!(is_refused(&mut loaded, &format!("SELECT throwIf(count() <> 1) FROM items WHERE {row}")), expected);
    }
}
