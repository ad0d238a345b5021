//! Looking around a database, and what scripts build on: formats and exit codes.

use serde_json::Value;

use crate::project::Project;

fn shop() -> Project {
    let project = Project::over(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL, city TEXT);
         CREATE INDEX of_one ON customers ((email = 'ann@example.org'));
         CREATE INDEX of_cities ON customers (city);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, status TEXT, label TEXT);
         INSERT INTO customers VALUES (1, 'ann@example.org', 'Graz'), (2, 'ben@example.org', NULL);
         INSERT INTO orders VALUES (1, 1, 'paid', ''), (2, 1, 'open', 'two, \"three\"'), (3, 2, 'paid', NULL);",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

#[test]
fn tables_are_listed_and_described() {
    let project = shop();
    let (_, tables) = project.json(&["tables", "ord*"]);
    assert_eq!(tables.as_array().unwrap().len(), 1);
    assert_eq!((&tables[0]["table"], &tables[0]["columns"]), (&Value::from("orders"), &Value::from(4)));
    let listed = project.run(&["tables"]).stdout;
    assert!(listed.contains("customers") && listed.contains("2 tables"), "{listed}");
    let described = project.run(&["describe", "ORDERS"]).stdout;
    assert!(described.contains("→ customers.id") && described.contains("paid, open"), "{described}");
    let (_, customers) = project.json(&["describe", "customers"]);
    assert_eq!(customers["referenced_by"], serde_json::json!(["orders"]));
    let email = &customers["columns"][1];
    assert!(email["masked"].is_string() && email["values"] == serde_json::json!([]), "{email}");
    assert_eq!(customers["indexes"].as_array().unwrap().len(), 1, "{customers}");
    assert!(!project.run(&["describe", "customers"]).stdout.contains("example.org"));
    let (code, unknown) = project.json(&["describe", "custmers"]);
    assert_eq!((code, unknown["error"]["code"].as_str()), (1, Some("unknown_table")));
    assert!(unknown["error"]["hints"][0].as_str().unwrap().contains("customers"), "{unknown}");
}

#[test]
fn rows_come_in_the_form_that_was_asked_for() {
    let project = shop();
    let sql = "SELECT id, status, label FROM orders ORDER BY id";
    let csv = project.run(&["query", "--format", "csv", sql]);
    assert_eq!(csv.stdout, "id,status,label\n1,paid,\"\"\n2,open,\"two, \"\"three\"\"\"\n3,paid,\n", "{}", csv.stderr);
    let vertical = project.run(&["query", "--format", "vertical", sql]).stdout;
    assert!(vertical.contains("── row 3\nid      3\nstatus  paid\nlabel   NULL"), "{vertical}");
    let refused = project.run(&["query", "--format", "csv", "SELECT email FROM customers"]);
    assert!(
        refused.code == 1 && refused.stdout.is_empty() && refused.stderr.contains("masked_column"),
        "{}",
        refused.stderr
    );
    assert_eq!(project.run(&["query", "--json", "--format", "csv", sql]).code, 2);
}

#[test]
fn exit_codes_tell_refused_from_found() {
    let project = shop();
    let warned = "SELECT count(*) FROM orders WHERE status = 'lost'";
    let check = |arguments: &[&str]| project.run(&[&["check"], arguments].concat()).code;
    assert_eq!((check(&[warned]), check(&["--fail-on", "warning", warned])), (0, 4));
    let plain = "SELECT count(*) FROM orders WHERE status = 'paid'";
    assert_eq!(check(&["--fail-on", "hint", plain]), 0);
    assert_eq!(check(&["--fail-on", "warning", "DROP TABLE orders"]), 1);
    assert_eq!(project.run(&["status", "--check"]).code, 0);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("ALTER TABLE orders ADD COLUMN sent_at TEXT").unwrap();
    assert_eq!((project.run(&["status"]).code, project.run(&["status", "--check"]).code), (0, 4));
}

#[test]
fn an_author_is_who_says_it() {
    let project = shop();
    let pair = ["--question", "how many orders are paid", "--sql", "SELECT count(*) FROM orders WHERE status = 'paid'"];
    let approved = project.run(&[&["feedback", "--author", "Ann Lee", "approve"], &pair[..]].concat());
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let (_, listed) = project.json(&["feedback", "list"]);
    assert_eq!(listed[0]["content"]["author"], "Ann Lee", "{listed}");
}
