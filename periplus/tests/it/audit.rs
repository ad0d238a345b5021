//! The record of statements, from the command line.

use std::fs;

use crate::project::Project;

#[test]
fn statements_are_recorded_before_they_run_and_changes_are_found() {
    let project = Project::over("CREATE TABLE fruits (name TEXT); INSERT INTO fruits VALUES ('apple'), ('pear');");
    project.write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"data.db\"\n[audit]\nchain = true\n");
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["audit"]).stdout, "nothing has been recorded\n");
    assert_eq!(project.run(&["query", "SELECT name FROM fruits"]).code, 0);
    assert_eq!(project.run(&["query", "DELETE FROM fruits"]).code, 1);
    assert_eq!(project.run(&["check", "SELECT nam FROM fruits"]).code, 1);
    let (_, document) = project.json(&["audit"]);
    let records = document["records"].as_array().unwrap();
    let said = |field: &str| records.iter().map(|record| record[field].as_str().unwrap_or("-")).collect::<Vec<_>>();
    assert_eq!(said("event"), ["verdict", "outcome", "verdict", "verdict"]);
    assert_eq!(said("decision"), ["accept", "-", "refuse", "refuse"]);
    assert_eq!((&records[1]["rows"], &records[3]["findings"][0]), (&2.into(), &"unknown_column".into()));
    assert_eq!(project.run(&["audit", "--verify"]).code, 0);
    let path = project.path(".periplus/audit.jsonl");
    let changed = fs::read_to_string(&path).unwrap().replace("DELETE FROM fruits", "SELECT 1");
    fs::write(&path, changed).unwrap();
    let (code, check) = project.json(&["audit", "--verify"]);
    assert_eq!((code, &check["broken"]["line"], &check["broken"]["kind"]), (1, &3.into(), &"changed".into()));
}

#[test]
fn what_cannot_be_recorded_does_not_run() {
    let project = Project::over("CREATE TABLE fruits (name TEXT); INSERT INTO fruits VALUES ('apple');");
    assert_eq!(project.run(&["index"]).code, 0);
    fs::create_dir(project.path(".periplus/audit.jsonl")).unwrap();
    let (code, document) = project.json(&["query", "SELECT name FROM fruits"]);
    assert_eq!((code, document["error"]["code"].as_str()), (1, Some("audit_failed")), "{document}");
    project.write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"data.db\"\n[audit]\nenabled = false\n");
    assert_eq!(project.run(&["query", "SELECT name FROM fruits"]).code, 0);
}

#[test]
fn a_key_and_an_anchor_find_what_a_chain_cannot() {
    let project = Project::over("CREATE TABLE fruits (name TEXT); INSERT INTO fruits VALUES ('apple');");
    let secret = "0123456789abcdef0123456789abcdef-secret";
    project.write("key", &format!("{secret}\n"));
    project.write(
        "periplus.toml",
        "[[sources]]\nid = \"data\"\ndsn = \"data.db\"\n[audit]\nkey_file = \"key\"\nanchor = \"anchor.jsonl\"\n",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    // Eight processes at a time, on one record.
    let mut running: Vec<_> = (0..8)
        .map(|_| {
            let mut command = project.command(&["query", "SELECT name FROM fruits"]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    assert!(running.iter_mut().all(|process| process.wait().unwrap().success()));
    let sound = project.run(&["audit", "--verify"]);
    assert_eq!(sound.code, 0, "{}", sound.stdout);
    assert!(sound.stdout.contains("16 lines in 1 files, 16 of them sealed"), "{}", sound.stdout);
    assert!(sound.stdout.contains("not noticed: changes by somebody who holds the key"), "{}", sound.stdout);
    let path = project.path(".periplus/audit.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let cut: Vec<&str> = whole.lines().take(10).collect();
    fs::write(&path, cut.join("\n") + "\n").unwrap();
    let (code, check) = project.json(&["audit", "--verify"]);
    assert_eq!((code, &check["broken"]["kind"]), (1, &"cut_end".into()), "{check}");
    fs::write(&path, &whole).unwrap();
    // The key in the environment wins over the file; a wrong one and a short one say so and not what they are.
    let with_key = |key: &str| {
        let output = project.command(&["--json", "audit", "--verify"]).env("PERIPLUS_AUDIT_KEY", key).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!said.contains(key) && !said.contains(secret), "{said}");
        (output.status.code(), said)
    };
    assert_eq!(with_key(secret).0, Some(0));
    let (code, said) = with_key("another-key-another-key-another-key");
    assert!(code == Some(1) && said.contains("recomputed"), "{said}");
    let (code, said) = with_key("short-key");
    assert!(code == Some(2) && said.contains("config_audit_key"), "{said}");
    assert!(!whole.contains(secret) && !fs::read_to_string(project.path("anchor.jsonl")).unwrap().contains(secret));
    let run = project.run(&["-vv", "query", "SELECT name FROM fruits"]);
    assert!(run.code == 0 && !run.stderr.contains(secret), "{}", run.stderr);
}

#[test]
fn look_ups_of_all_processes_count_together() {
    let project = Project::over(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT);
         INSERT INTO people VALUES (1, 'ann@example.org'), (2, 'ben@example.org');",
    );
    let configuration = fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{configuration}[guard]\nmax_look_ups = 2\n"));
    assert_eq!(project.run(&["index"]).code, 0);
    let of = |name: &str| format!("SELECT id FROM people WHERE email = '{name}@example.org'");
    let codes = |arguments: &[&str]| {
        let run = project.run(arguments);
        (run.code, (run.stdout + &run.stderr).contains("too_many_look_ups"))
    };
    assert_eq!(codes(&["check", &of("ann")]), (0, false));
    assert_eq!(codes(&["query", &of("ann")]), (0, false));
    assert_eq!(codes(&["query", &of("ben")]), (0, false));
    assert_eq!(codes(&["check", &of("cleo")]), (1, true));
    assert_eq!(codes(&["query", &of("cleo")]), (1, true));
    let kept = fs::read_to_string(project.path(".periplus/look-ups")).unwrap();
    assert!(kept.lines().count() == 2 && !kept.contains("ann"), "{kept}");
    fs::write(project.path(".periplus/look-ups"), "nothing of ours\n").unwrap();
    let (code, document) = project.json(&["query", &of("ann")]);
    assert_eq!((code, document["error"]["code"].as_str()), (1, Some("look_ups_unreadable")), "{document}");
}
