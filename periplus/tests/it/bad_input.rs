//! Bad input, each with a clear error, a code, an exit status and nothing lost.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::project::Project;

/// Runs with `--json` and expects this exit code and error code.
fn check(project: &Project, arguments: &[&str], exit: i32, code: &str) -> Value {
    let (found, document) = project.json(arguments);
    assert_eq!(document["error"]["code"], code, "{document:#}");
    assert_eq!(found, exit, "{document:#}");
    let message = document["error"]["message"].as_str().unwrap();
    assert!(!message.is_empty());
    document
}

#[test]
fn a_missing_file_is_named_and_not_made() {
    let project = Project::new();
    let path = project.path("nowhere.db");
    let document = check(&project, &["--dsn", path.to_str().unwrap(), "index"], 3, "missing_file");
    assert!(document["error"]["message"].as_str().unwrap().contains("nowhere.db"));
    assert!(!path.exists());
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let project = Project::new();
    let letter = "Dear database, I am a letter. ".repeat(100);
    project.write("letter.db", &letter);
    let path = project.path("letter.db");
    check(&project, &["--dsn", path.to_str().unwrap(), "index"], 1, "not_a_database");
    assert_eq!(std::fs::read_to_string(path).unwrap(), letter);
}

#[test]
fn an_empty_database_is_said_to_be_empty() {
    let project = Project::over("");
    check(&project, &["index"], 1, "source_empty");
}

#[test]
fn a_corrupt_catalog_is_kept_and_reported() {
    let project = Project::over("CREATE TABLE t (x)");
    assert_eq!(project.run(&["index"]).code, 0);
    for name in ["catalog.db-wal", "catalog.db-shm"] {
        let _ = std::fs::remove_file(project.path(".periplus").join(name));
    }
    project.write(".periplus/catalog.db", &"garbage ".repeat(2000));
    check(&project, &["link", "anything"], 1, "catalog_corrupt");
    assert!(std::fs::read_to_string(project.path(".periplus/catalog.db")).unwrap().starts_with("garbage"));
}

#[test]
fn an_unknown_key_in_the_configuration_is_wrong_use() {
    let project = Project::over("CREATE TABLE t (x)");
    project.write("periplus.toml", "[guard]\nmax_row = 10\n");
    let document = check(&project, &["status"], 2, "config_invalid");
    assert!(document["error"]["message"].as_str().unwrap().contains("max_row"));
}

#[test]
fn no_database_at_all_says_how_to_begin() {
    let project = Project::new();
    let document = check(&project, &["index"], 2, "no_source");
    assert!(document["error"]["hints"].to_string().contains("periplus init"));
}

#[test]
fn a_mistyped_project_folder_is_named_and_not_made() {
    let project = Project::new();
    let missing = project.path("nope");
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("periplus"))
        .arg("--json")
        .arg("--project")
        .arg(&missing)
        .arg("status")
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["error"]["code"], output.status.code()), (&"no_such_folder".into(), Some(2)), "{document:#}");
    assert!(!missing.exists());
}

#[test]
fn looking_at_a_project_without_a_catalog_makes_none() {
    let project = Project::over("CREATE TABLE t (x)");
    check(&project, &["status"], 1, "not_indexed");
    assert!(!project.path(".periplus").exists());
}

#[test]
fn a_question_without_a_word_is_wrong_use() {
    let project = Project::over("CREATE TABLE t (x)");
    for arguments in [
        &["link", ""][..],
        &["ask", " ?"],
        &["search", ""],
        &["feedback", "approve", "--question", "", "--sql", "SELECT 1"],
    ] {
        assert_eq!(project.run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn documents_are_for_those_who_ask_for_them() {
    let project = Project::over("CREATE TABLE t (x)");
    // What stands behind `--` is a statement's, and nothing asked for a document.
    let run = project.run(&["qery", "--", "--json"]);
    assert!(run.code == 2 && run.stdout.is_empty() && run.stderr.contains("error:"), "{}", run.stderr);
    let run = project.run(&["--json", "--version"]);
    assert!(run.code == 0 && run.stdout.starts_with("periplus "), "{}", run.stdout);
}

#[test]
fn an_address_that_cannot_be_one_is_wrong_use() {
    let project = Project::new();
    check(&project, &["--dsn", "oracle://db/x", "index"], 2, "unsupported_scheme");
    check(&project, &["--dsn", "sqlite::memory:", "index"], 2, "invalid_dsn");
}

#[test]
fn a_server_that_is_not_there_is_unreachable() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let project = Project::new();
    check(&project, &["--dsn", &format!("postgres://ann:word@{address}/x"), "index"], 3, "unreachable");
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let project = Project::over("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let mut child = project
        .command(&["query", "SELECT x FROM t"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn what_only_the_engine_knows_is_found_before_running() {
    let project = Project::over("CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t");
    assert_eq!(project.run(&["index"]).code, 0);
    rusqlite::Connection::open(project.path("data.db")).unwrap().execute_batch("DROP TABLE t").unwrap();
    let (code, document) = project.json(&["check", "SELECT x FROM v"]);
    assert_eq!((code, document["findings"][0]["code"].as_str()), (1, Some("engine_refuses")), "{document:#}");
    assert!(document["findings"][0]["message"].as_str().unwrap().contains("no such table"), "{document:#}");
}

#[test]
fn a_question_before_indexing_says_what_to_do() {
    let project = Project::over("CREATE TABLE t (x)");
    check(&project, &["link", "anything"], 1, "not_indexed");
}

#[test]
fn a_database_locked_by_a_writer_is_reported_as_busy() {
    let project = Project::over("CREATE TABLE t (x); INSERT INTO t VALUES (1);");
    let writer = rusqlite::Connection::open(project.path("data.db")).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2);").unwrap();
    check(&project, &["index"], 3, "database_busy");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
}

#[test]
fn odd_names_and_long_cells_are_profiled_like_any_other() {
    let project = Project::over(
        r#"CREATE TABLE "select" ("a ""quoted"" name" TEXT, "order" INTEGER, "größe 🧭" REAL, "with space" TEXT);
           CREATE TABLE "Ünïcode; DROP TABLE x" (id INTEGER PRIMARY KEY, body TEXT);
           INSERT INTO "select" VALUES ('x', 1, 2.5, 'y'), ('z', NULL, NULL, NULL);
           INSERT INTO "Ünïcode; DROP TABLE x" VALUES (1, 'a');"#,
    );
    let connection = rusqlite::Connection::open(project.path("data.db")).unwrap();
    connection.execute("UPDATE \"Ünïcode; DROP TABLE x\" SET body = ?1", [&"x".repeat(20_000_000)]).unwrap();
    let (code, document) = project.json(&["index"]);
    assert_eq!((code, &document["tables"]), (0, &Value::from(2)), "{document:#}");
    let (code, document) = project.json(&["query", "SELECT \"größe 🧭\", \"order\" FROM \"select\" ORDER BY 2 DESC"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(document["result"]["rows"][0], serde_json::json!([2.5, 1]));
    assert!(std::fs::metadata(project.path(".periplus/catalog.db")).unwrap().len() < 2_000_000);
    let (_, document) = project.json(&["query", "SELECT body FROM \"Ünïcode; DROP TABLE x\""]);
    assert!(document.to_string().len() < 1_000_000);
    assert!(document["result"]["truncated"].is_string(), "{document:#}");
}

/// A server that answers every request with these bytes.
fn endpoint(reply: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut buffer = [0; 65536];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(reply);
        }
    });
    format!("http://{address}/v1")
}

fn with_model(base_url: &str, more: &str) -> Project {
    let project = Project::over("CREATE TABLE customers (name TEXT, country TEXT)");
    let source = "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n";
    project.write(
        "periplus.toml",
        &format!(
            "{source}[model]\nprovider = \"openai\"\nname = \"m\"\nsmall = true\nbase_url = \"{base_url}\"\n{more}"
        ),
    );
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

#[test]
fn a_model_endpoint_that_is_down_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let project = with_model(&format!("http://{address}/v1"), "");
    check(&project, &["ask", "how many customers are there?"], 3, "model_unreachable");
}

#[test]
fn a_model_endpoint_that_answers_garbage_is_reported() {
    let project = with_model(&endpoint(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n<html>???"), "");
    check(&project, &["ask", "how many customers are there?"], 1, "model_bad_reply");
}

#[test]
fn a_model_endpoint_that_says_nothing_is_given_up_after_the_time_that_was_set() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Accepts every connection and keeps it open without a word.
    std::thread::spawn(move || {
        let kept: Vec<_> = listener.incoming().collect();
        drop(kept);
    });
    let project = with_model(&format!("http://{address}/v1"), "timeout_seconds = 1\n");
    let started = std::time::Instant::now();
    let error = check(&project, &["ask", "how many customers are there?"], 3, "model_timeout");
    assert!(error["error"]["hints"].to_string().contains("timeout_seconds"), "{error}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// A file system of its own, so small that it fills up; taken down with the value.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// `None` where this process may not mount one.
    fn mount(at: &std::path::Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let options = format!("size={size}");
        let mounted =
            std::process::Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(at.to_owned()))
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(std::process::Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_finished() {
    let tables: String = (0..60)
        .map(|n| format!("CREATE TABLE t{n} (a, b, c, d, e, f); INSERT INTO t{n} VALUES (1, 2, 3, 4, 'five', 'six');"))
        .collect();
    let project = Project::over(&tables);
    let Some(disk) = SmallDisk::mount(&project.path(".periplus"), "400k") else {
        eprintln!("skipped: a_full_disk_loses_nothing_that_was_finished (may not mount a file system here)");
        return;
    };
    check(&project, &["index"], 1, "disk_full");
    disk.grow("50m");
    let (code, document) = project.json(&["index"]);
    assert_eq!(code, 0, "{document:#}");
    let profile = &document["sources"][0]["profile"];
    assert!(profile["unchanged"].as_u64().unwrap() > 0, "what was finished is kept: {document:#}");
    assert_eq!(document["tables"], 60);
}

#[test]
fn a_name_that_no_source_can_have_writes_no_configuration() {
    let project = Project::over("CREATE TABLE a (v TEXT);");
    let database = project.path("data.db");
    let fresh = Project::new();
    check(&fresh, &["init", database.to_str().unwrap(), "--name", "my freight!"], 2, "usage");
    assert!(!fresh.path("periplus.toml").exists());
}
