//! What changes after `periplus index` and leaves names and types as they were: tables taken in or called otherwise, fields of
//! types, expressions of generated columns.

use std::time::Duration;

use catalog::{Mask, Table};
use connect::Limits;
use guard::{GuardError, Policy};

use crate::beside_masks::open;
use crate::databases::{CLICKHOUSE, Database, MARIADB, POSTGRES, SQLITE};

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

/// A type's fields can change under its name.
#[test]
fn a_field_that_a_type_got_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE TYPE place AS (street text, city text)");
    database.alter("CREATE TABLE sites (site_id int PRIMARY KEY, place place, others place[])");
    database.learn(open);
    let run = |sql: &str| database.guarded(sql, &Policy::default(), &Limits::default());
    assert!(run("SELECT place, others FROM sites").is_ok());
    database.alter("ALTER TYPE place ADD ATTRIBUTE phone text CASCADE");
    let ran = database.guarded("SELECT to_jsonb(place) FROM sites", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.code == "table_changed"), "{verdict:?}");
}

/// So can those of a type inside a type, of a domain's base, and of the items of its arrays.
#[test]
fn a_field_that_an_inner_type_got_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "CREATE TYPE place AS (street text, city text)",
        "CREATE TYPE firm AS (seat place, label text)",
        "CREATE DOMAIN place_of AS place",
        "CREATE TABLE firms (id int PRIMARY KEY, firm firm)",
        "CREATE TABLE ends (id int PRIMARY KEY, lies place_of, ways place_of[])",
    ] {
        database.alter(statement);
    }
    database.learn(open);
    let reads = ["SELECT id, firm FROM firms", "SELECT id, lies FROM ends", "SELECT ways[1] FROM ends"];
    let run = |database: &Database, sql: &str| database.guarded(sql, &Policy::default(), &Limits::default());
    for sql in reads {
        assert!(run(&database, sql).is_ok(), "{sql}");
    }
    database.alter("ALTER TYPE place ADD ATTRIBUTE phone text CASCADE");
    for sql in reads {
        let ran = run(&database, sql);
        let Err(GuardError::Refused(verdict)) = ran else { panic!("{sql}: {ran:?}") };
        assert!(verdict.errors().any(|finding| finding.code == "table_changed"), "{sql}: {verdict:?}");
    }
}

/// A generated column that is dropped and made again at the end has the name, the type and the place of before.
#[test]
fn a_column_that_is_generated_anew_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter(
        "CREATE TABLE stores (id int PRIMARY KEY, city text, contact_email text, tag text GENERATED ALWAYS AS (upper(city)) STORED)",
    );
    database.learn(open);
    let run = |database: &Database| database.guarded("SELECT tag FROM stores", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok());
    database.alter("ALTER TABLE stores DROP COLUMN tag");
    database.alter("ALTER TABLE stores ADD COLUMN tag text GENERATED ALWAYS AS (lower(contact_email)) STORED");
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("another expression")), "{verdict:?}");
}

/// Of tables that look the same, nothing but what the engine tells them by says which has whose name.
#[test]
fn tables_that_have_swapped_their_names_are_a_change() {
    const BY_ALTER: &[&str] =
        &["ALTER TABLE kept RENAME TO aside", "ALTER TABLE seen RENAME TO kept", "ALTER TABLE aside RENAME TO seen"];
    const BY_RENAME: &[&str] =
        &["RENAME TABLE kept TO aside", "RENAME TABLE seen TO kept", "RENAME TABLE aside TO seen"];
    for (engine, columns, after, swap) in [
        (&SQLITE, "(id INTEGER PRIMARY KEY, note TEXT)", "", BY_ALTER),
        (&POSTGRES, "(id int PRIMARY KEY, note text)", "", BY_ALTER),
        (&MARIADB, "(id int PRIMARY KEY, note text)", "", BY_RENAME),
        (&CLICKHOUSE, "(id Int64, note String)", "ENGINE = MergeTree ORDER BY id", BY_RENAME),
    ] {
        let Some(mut database) = Database::of(engine) else { continue };
        for name in ["kept", "seen", "alike"] {
            database.alter(&format!("CREATE TABLE {name} {columns} {after}"));
        }
        let masked_in_one = |table: &Table| {
            let mut profile = open(table)?;
            let notes = profile.columns.iter_mut().filter(|column| table.id.name == "kept" && column.column == "note");
            notes.for_each(|note| note.masked = Some(Mask::by_values("values look like letters")));
            Some(profile)
        };
        database.learn(masked_in_one);
        let run = |database: &Database, table: &str| {
            let sql = format!("SELECT id, note FROM {table}");
            match database.guarded(&sql, &Policy::default(), &Limits::default()) {
                Ok(_) => "ok".to_owned(),
                Err(GuardError::Refused(verdict)) => verdict.errors().map(|finding| finding.code).collect(),
                Err(error) => panic!("{}: {sql}: {error:?}", engine.name),
            }
        };
        assert_eq!([run(&database, "kept"), run(&database, "seen")], ["masked_column", "ok"], "{}", engine.name);
        // MariaDB knows the time of a name, in whole seconds.
        std::thread::sleep(Duration::from_millis(if engine.name == MARIADB.name { 1100 } else { 0 }));
        swap.iter().for_each(|statement| database.alter(statement));
        assert_eq!(run(&database, "seen"), "table_changed", "{}", engine.name);
        assert_eq!(run(&database, "alike"), "ok", "{}", engine.name);
        // One that is made anew under the name is nobody else, where a time or a place in a file doesn't tell less.
        if engine.name == POSTGRES.name || engine.name == CLICKHOUSE.name {
            database.alter("DROP TABLE seen");
            database.alter(&format!("CREATE TABLE seen {columns} {after}"));
            assert_eq!(run(&database, "seen"), "ok", "{}", engine.name);
        }
    }
}
