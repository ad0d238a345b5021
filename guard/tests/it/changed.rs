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

/// What is known of a table counts for the one that takes it in, whatever it is called by then.
#[test]
fn a_table_that_is_renamed_and_taken_in_is_a_change() {
    const REFERENCES: &str = "SELECT ref FROM rings";
    for changed in [
        &[
            "ALTER TABLE import RENAME TO rings_2024",
            "ALTER TABLE rings ATTACH PARTITION rings_2024 FOR VALUES IN (2024)",
        ][..],
        &[
            "ALTER TABLE letters DETACH PARTITION letters_2023",
            "ALTER TABLE rings ATTACH PARTITION letters_2023 FOR VALUES IN (2023)",
        ],
    ] {
        let Some(mut database) = Database::of(&POSTGRES) else { return };
        for statement in [
            "CREATE TABLE rings (id int, year int, ref text) PARTITION BY LIST (year)",
            "CREATE TABLE rings_2025 PARTITION OF rings FOR VALUES IN (2025)",
            "CREATE TABLE letters (id int, year int, ref text) PARTITION BY LIST (year)",
            "CREATE TABLE letters_2023 PARTITION OF letters FOR VALUES IN (2023)",
            "CREATE TABLE import (id int, year int, ref text)",
        ] {
            database.alter(statement);
        }
        database.learn(open);
        let run = |database: &Database| database.guarded(REFERENCES, &Policy::default(), &Limits::default());
        assert!(run(&database).is_ok());
        database.alter("CREATE TABLE rings_2026 PARTITION OF rings FOR VALUES IN (2026)");
        assert!(run(&database).is_ok(), "a part that is new has been nobody else's");
        changed.iter().for_each(|statement| database.alter(statement));
        let ran = run(&database);
        let Err(GuardError::Refused(verdict)) = ran else { panic!("{changed:?}: {ran:?}") };
        assert!(verdict.errors().any(|finding| finding.message.contains("has the rows of")), "{verdict:?}");
        database.learn(open);
        assert!(run(&database).is_ok());
    }
}

/// A part that is a table of its own by now, under the name of one that was open.
#[test]
fn a_part_that_gets_another_tables_name_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "CREATE TABLE letters (id int, year int, note text) PARTITION BY LIST (year)",
        "CREATE TABLE letters_2023 PARTITION OF letters FOR VALUES IN (2023)",
        "CREATE TABLE remarks (id int, year int, note text)",
    ] {
        database.alter(statement);
    }
    database.learn(|table| {
        let mut profile = open(table)?;
        let notes = profile.columns.iter_mut().filter(|it| table.id.name == "letters" && it.column == "note");
        notes.for_each(|note| note.masked = Some(Mask::by_values("values look like letters")));
        Some(profile)
    });
    let run =
        |database: &Database| database.guarded("SELECT note FROM remarks", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok());
    for statement in [
        "ALTER TABLE letters DETACH PARTITION letters_2023",
        "ALTER TABLE remarks RENAME TO remarks_old",
        "ALTER TABLE letters_2023 RENAME TO remarks",
    ] {
        database.alter(statement);
    }
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("is another table now")), "{verdict:?}");
}

/// Children of children are behind a table as well as its own.
#[test]
fn a_line_of_descent_is_no_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "CREATE TABLE oldest (id int, remark text)",
        "CREATE TABLE middle () INHERITS (oldest)",
        "CREATE TABLE youngest () INHERITS (middle)",
    ] {
        database.alter(statement);
    }
    database.learn(open);
    let run =
        |database: &Database| database.guarded("SELECT remark FROM oldest", &Policy::default(), &Limits::default());
    assert!(run(&database).is_ok(), "{:?}", run(&database));
}

/// A query's text names tables as the search path has it.
#[test]
fn a_view_that_reads_another_table_of_the_name_is_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "CREATE SCHEMA crm",
        "CREATE TABLE crm.tickets (id int, remark text)",
        "CREATE TABLE public.tickets (id int, remark text)",
        "CREATE VIEW public.asked AS SELECT id, remark FROM public.tickets",
    ] {
        database.alter(statement);
    }
    database.learn(open);
    database.alter("CREATE OR REPLACE VIEW public.asked AS SELECT id, remark FROM crm.tickets");
    database.alter(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = crm, public', current_database()); END $$",
    );
    database.connector = connect::connect("spec", &database.dsn()).unwrap();
    let ran = database.guarded("SELECT remark FROM public.asked", &Policy::default(), &Limits::default());
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("reads other tables")), "{verdict:?}");
}

/// Names, types and order are as before, and the values have moved from one name to the other.
#[test]
fn columns_that_were_made_anew_under_the_names_of_others_are_a_change() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    database.alter("CREATE TABLE contacts (id int PRIMARY KEY, code text, contact text)");
    database.learn(open);
    let run =
        |database: &Database| database.guarded("SELECT code FROM contacts", &Policy::default(), &Limits::default());
    for statement in ["DROP code", "RENAME contact TO code", "ADD contact text"] {
        database.alter(&format!("ALTER TABLE contacts {statement}"));
    }
    let ran = run(&database);
    let Err(GuardError::Refused(verdict)) = ran else { panic!("{ran:?}") };
    assert!(verdict.errors().any(|finding| finding.message.contains("were taken away")), "{verdict:?}");
    database.learn(open);
    assert!(run(&database).is_ok());
}

/// A table or a column that has gone since: who reads of it is told to index.
#[test]
fn what_has_gone_is_said_to_have_been_there() {
    for engine in [&SQLITE, &POSTGRES, &MARIADB, &CLICKHOUSE] {
        let Some(mut database) = Database::of(engine) else { continue };
        let order = if engine.name == CLICKHOUSE.name { " ENGINE = MergeTree ORDER BY id" } else { "" };
        for table in ["gone_visits", "gone_notes"] {
            database.alter(&format!("CREATE TABLE {table} (id int NOT NULL, told int){order}"));
        }
        database.learn(open);
        database.alter("DROP TABLE gone_visits");
        database.alter("ALTER TABLE gone_notes DROP COLUMN told");
        for (sql, name) in [("SELECT id FROM gone_visits", "gone_visits"), ("SELECT told FROM gone_notes", "told")] {
            let ran = database.guarded(sql, &Policy::default(), &Limits::default());
            let Err(GuardError::Refused(verdict)) = ran else { panic!("{sql}: {ran:?}") };
            let is_told =
                |finding: &guard::Finding| finding.help.contains("index") && format!("{finding:?}").contains(name);
            assert!(verdict.errors().any(is_told), "{}: {sql}: {verdict:?}", engine.name);
        }
    }
}
