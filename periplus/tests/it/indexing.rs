//! What `index` and `status` say of an ordinary project: warnings, tables left out, and data that has changed.

use std::fs;

use serde_json::{Value, json};

use crate::project::Project;

#[test]
fn a_view_that_lost_its_table_fails_nothing_and_is_not_out_of_date() {
    let project = Project::over(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO a VALUES (1, 'x');
         CREATE TABLE gone (old TEXT); CREATE VIEW broken AS SELECT old FROM gone; DROP TABLE gone;",
    );
    for _ in 0..2 {
        let run = project.run(&["index"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let told = format!("{}{}", run.stdout, run.stderr).matches("gone").count();
        assert_eq!(told, 1, "the reason is told once: {}{}", run.stdout, run.stderr);
    }
    let (_, status) = project.json(&["status"]);
    let source = &status["sources"][0];
    assert_eq!(source["out_of_date"], Value::Array(Vec::new()));
    assert_eq!(source["left_out"][0]["table"], "broken");
}

#[test]
fn a_pattern_that_names_no_column_is_warned_of() {
    let project = Project::over("CREATE TABLE chauffeur (id INTEGER PRIMARY KEY, bijnaam TEXT)");
    let settings = fs::read_to_string(project.path("periplus.toml")).unwrap();
    let patterns = "[profile]\nsensitive = [\"chauffeur.bijnam\", \"chauffeur.bijnaam\"]\n";
    project.write("periplus.toml", &format!("{settings}{patterns}"));
    let (code, document) = project.json(&["index"]);
    assert_eq!(code, 0);
    let warnings = document["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].as_str().unwrap().contains("`chauffeur.bijnam`"));
    assert!(project.run(&["index"]).stdout.contains("warning: `chauffeur.bijnam`"));
}

#[test]
fn changed_values_are_seen_by_the_next_run_and_a_full_one_does_everything_again() {
    let project = Project::over("CREATE TABLE a (v TEXT); INSERT INTO a VALUES ('GB'); CREATE TABLE b (v TEXT);");
    let profiled = |arguments: &[&str]| {
        let (code, document) = project.json(arguments);
        assert_eq!(code, 0);
        document["sources"][0]["profile"]["profiled"].clone()
    };
    assert_eq!(profiled(&["index"]), 2);
    assert_eq!(profiled(&["index"]), 0);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("UPDATE a SET v = 'UK'").unwrap();
    assert_eq!(profiled(&["index"]), 1);
    assert_eq!(profiled(&["index", "--full"]), 2);
}

#[test]
fn status_compares_with_the_database_and_what_is_gone_stays_until_pruned() {
    let project = Project::over(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, qty INTEGER); INSERT INTO a VALUES (1, 5), (2, 7), (3, 9);
         CREATE TABLE b (v TEXT); CREATE TABLE c (v TEXT);",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    let status = || project.json(&["status"]).1["sources"][0].clone();
    assert_eq!((status()["out_of_date"].clone(), status()["gone"].clone()), (json!([]), json!([])));
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database
        .execute_batch("ALTER TABLE a RENAME COLUMN qty TO quantity; DROP TABLE b; CREATE TABLE d (v TEXT);")
        .unwrap();
    let why = |table: &str, why: &str| json!({"table": table, "why": why});
    let expected = [
        why("a", "its structure, or what is said of it, has changed"),
        why("b", "it is gone from the database"),
        why("d", "it is new in the database"),
    ];
    assert_eq!(status()["out_of_date"], json!(expected));
    assert!(project.run(&["index"]).stdout.contains("gone: data.b"));
    let now = status();
    assert_eq!((now["out_of_date"].clone(), now["gone"][0]["table"].clone()), (json!([]), json!("b")));
    let store = crate::project::store(&project.path(".periplus/catalog.db"));
    let text = [("columns.gone.description".to_owned(), "Ours.".to_owned())];
    store.put_overrides(&catalog::TableId::new("data", "a"), &catalog::Overrides(text.into())).unwrap();
    drop(store);
    assert!(project.run(&["index"]).stdout.contains("warning: what people wrote about `gone` of data.a is kept"));
    assert_eq!(project.run(&["index", "--prune"]).code, 0);
    assert_eq!(status()["gone"], json!([]));
    fs::remove_file(project.path("data.db")).unwrap();
    assert!(status()["unreachable"].as_str().unwrap().contains("data.db"));
}

#[test]
fn views_hide_what_their_tables_hide_and_new_names_ask_for_a_new_index() {
    let project = Project::over(
        "CREATE TABLE staff (id INTEGER, team TEXT, salary INTEGER); INSERT INTO staff VALUES (1, 'north', 5100);
         CREATE VIEW pay AS SELECT team, salary * 12 AS yearly FROM staff;",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    let refused = project.run(&["query", "SELECT team, yearly FROM pay"]);
    assert!(refused.code == 1 && refused.stdout.contains("error[masked_column]"), "{}", refused.stdout);
    assert_eq!(project.run(&["query", "SELECT team FROM pay"]).code, 0);
    let connection = rusqlite::Connection::open(project.path("data.db")).unwrap();
    connection.execute_batch("ALTER TABLE staff RENAME COLUMN team TO full_team; CREATE TABLE desks (id)").unwrap();
    for sql in ["SELECT full_team FROM staff", "SELECT id FROM desks"] {
        let checked = project.run(&["check", sql]);
        assert!(checked.code == 1 && checked.stdout.contains("do: Have `periplus index` run"), "{}", checked.stdout);
    }
    for sql in ["SELECT fullteam FROM staff", "SELECT \"salry\" FROM staff"] {
        let wrong = project.run(&["check", sql]);
        assert!(wrong.code == 1 && !wrong.stdout.contains("periplus index"), "{sql}: {}", wrong.stdout);
    }
}

/// What a statement may do, a view that is made of it shows.
#[test]
fn a_view_that_joins_along_a_masked_key_is_as_open_as_its_query() {
    let project = Project::over(
        "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, city TEXT);
         CREATE TABLE visits (id INTEGER PRIMARY KEY, email TEXT REFERENCES users (email), place TEXT);
         INSERT INTO users VALUES (1, 'ann@example.org', 'Oslo');
         INSERT INTO visits VALUES (7, 'ann@example.org', 'desk');
         CREATE VIEW places AS SELECT v.id, u.city FROM visits v JOIN users u ON u.email = v.email;
         CREATE VIEW neighbours AS SELECT v.id, u.city FROM visits v JOIN users u ON u.email > v.email;",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    let read = project.run(&["query", "SELECT id, city FROM places"]);
    assert!(read.code == 0 && read.stdout.contains("Oslo"), "{}", read.stdout);
    let refused = project.run(&["query", "SELECT id, city FROM neighbours"]);
    assert!(refused.code == 1 && refused.stdout.contains("error[masked_column]"), "{}", refused.stdout);
}

#[test]
fn init_takes_variables_and_writes_them_down_as_they_are() {
    let made = Project::over("CREATE TABLE a (v TEXT);");
    let fresh = Project::new();
    let mut command = fresh.command(&["init", "sqlite:${SECRET_FILE}", "--name", "data"]);
    command.env("SECRET_FILE", made.path("data.db"));
    assert!(command.output().unwrap().status.success());
    let written = fs::read_to_string(fresh.path("periplus.toml")).unwrap();
    assert!(written.contains("sqlite:${SECRET_FILE}"), "{written}");
    let (code, document) = Project::new().json(&["init", "sqlite:${NOT_SET_ANYWHERE}"]);
    assert_eq!((code, document["error"]["code"].as_str()), (2, Some("config_missing_variable")), "{document}");
}

/// Sample rows are chosen by how full they are, and how full a generated column is tells of what it is made from.
#[test]
fn what_is_said_of_a_table_is_the_same_whatever_its_masked_values_are() {
    let said = |paid_well: &str, reach: &str| {
        let project = Project::over(&format!(
            "CREATE TABLE staff (id INTEGER PRIMARY KEY, team TEXT, salary INTEGER, reach TEXT,
                 band TEXT AS (CASE WHEN salary > 9000 THEN 'top' END),
                 host TEXT AS (CASE WHEN reach LIKE '%.org' THEN 'org' END));
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
             INSERT INTO staff (id, team, salary, reach)
             SELECT i, 't' || (i % 3), iif(i IN ({paid_well}), 9500, 1000 + i), 'u' || i || iif(i IN ({reach}), '@mail.org', '@mail.net') FROM n"
        ));
        assert_eq!(project.run(&["index"]).code, 0);
        assert_eq!(project.run(&["docs", "write"]).code, 0);
        let page = fs::read_to_string(project.path("catalog/staff.md")).unwrap();
        assert!(page.contains("| t1 "), "{page}");
        let (_, document) = project.json(&["describe", "staff"]);
        (document["columns"].clone(), page)
    };
    assert_eq!(said("37, 120", "50"), said("140, 150", "60, 70"));
}
