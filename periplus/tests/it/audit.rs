//! The record of statements, from the command line.

use std::fs;

use crate::project::Project;

#[test]
fn statements_are_recorded_before_they_run_and_changes_are_found() {
    let project = Project::over("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ann'), ('Ben');");
    project.write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"data.db\"\n[audit]\nchain = true\n");
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["audit"]).stdout, "nothing has been recorded\n");
    assert_eq!(project.run(&["query", "SELECT name FROM people"]).code, 0);
    assert_eq!(project.run(&["query", "DELETE FROM people"]).code, 1);
    assert_eq!(project.run(&["check", "SELECT nam FROM people"]).code, 1);
    let (_, document) = project.json(&["audit"]);
    let records = document["records"].as_array().unwrap();
    let said = |field: &str| records.iter().map(|record| record[field].as_str().unwrap_or("-")).collect::<Vec<_>>();
    assert_eq!(said("event"), ["verdict", "outcome", "verdict", "verdict"]);
    assert_eq!(said("decision"), ["accept", "-", "refuse", "refuse"]);
    assert_eq!((&records[1]["rows"], &records[3]["findings"][0]), (&2.into(), &"unknown_column".into()));
    assert_eq!(project.run(&["audit", "--verify"]).code, 0);
    let path = project.path(".periplus/audit.jsonl");
    let changed = fs::read_to_string(&path).unwrap().replace("DELETE FROM people", "SELECT 1");
    fs::write(&path, changed).unwrap();
    let (code, check) = project.json(&["audit", "--verify"]);
    assert_eq!((code, &check["broken"]["line"]), (1, &3.into()));
}

#[test]
fn what_cannot_be_recorded_does_not_run() {
    let project = Project::over("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ann');");
    assert_eq!(project.run(&["index"]).code, 0);
    fs::create_dir(project.path(".periplus/audit.jsonl")).unwrap();
    let (code, document) = project.json(&["query", "SELECT name FROM people"]);
    assert_eq!((code, document["error"]["code"].as_str()), (1, Some("audit_failed")), "{document}");
    project.write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"data.db\"\n[audit]\nenabled = false\n");
    assert_eq!(project.run(&["query", "SELECT name FROM people"]).code, 0);
}
