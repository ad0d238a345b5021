//! The shell: from a pipe, and at a terminal.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::project::{Project, Run};

fn shop() -> Project {
    let project = Project::over(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL, city TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, status TEXT);
         INSERT INTO customers VALUES (1, 'ann@example.org', 'Graz'), (2, 'ben@example.org', NULL);
         INSERT INTO orders VALUES (1, 1, 'paid'), (2, 1, 'open'), (3, 2, 'paid');",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

fn piped(project: &Project, lines: &str) -> Run {
    let mut command = project.command(&["shell"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn statements_and_commands_are_done_one_after_the_other() {
    let project = shop();
    let run = piped(
        &project,
        "SELECT count(*) AS paid\n FROM orders -- all; of them\n WHERE status = 'paid';\n\\d customers\n\\x\nSELECT city FROM \
         customers WHERE id = 1; SELECT 41 + 1 AS answer",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    for expected in ["paid", "│ 2", "orders", "city  Graz", "answer  42"] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("ann@example.org"), "{}", run.stdout);
}

#[test]
fn what_fails_says_so_and_the_rest_goes_on() {
    let project = shop();
    let run = piped(&project, "SELECT email FROM customers;\n\\d custmers\n\\nonsense\n\\ask\nSELECT 7 AS seven;\n");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("refused") && run.stdout.contains("seven"), "{}", run.stdout);
    for expected in ["unknown_table", "no command \\nonsense", "\\ask wants something behind it"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    let question = piped(&project, "how many orders are there?\nSELECT 7 AS seven;\n\\approve\n");
    assert!(question.stdout.contains("no approved query") && question.stdout.contains("seven"), "{}", question.stdout);
    assert!(question.stderr.contains("nothing_to_approve"), "{}", question.stderr);
    assert!(piped(&project, "\\approve\n").stderr.contains("nothing has been asked yet"));
    assert_eq!(piped(&project, "\\q\nSELECT nothing FROM nowhere;\n").code, 0);
}

#[test]
fn what_is_indexed_meanwhile_is_known_in_the_next_line() {
    let project = shop();
    let mut command = project.command(&["shell"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = child.stdin.take().unwrap();
    lines.write_all(b"SELECT 1;\n").unwrap();
    rusqlite::Connection::open(project.path("data.db"))
        .unwrap()
        .execute_batch("CREATE TABLE carriers (name TEXT); INSERT INTO carriers VALUES ('Bring')")
        .unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    lines.write_all(b"SELECT name FROM carriers;\n").unwrap();
    drop(lines);
    let run = Run::of(child.wait_with_output().unwrap());
    assert!(run.code == 0 && run.stdout.contains("Bring"), "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn a_configuration_that_was_changed_ends_it() {
    let project = shop();
    let mut command = project.command(&["shell"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = child.stdin.take().unwrap();
    lines.write_all(b"SELECT count(*) FROM orders;\n").unwrap();
    let mut seen = [0; 16];
    child.stdout.as_mut().unwrap().read_exact(&mut seen).unwrap();
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{config}[guard]\ndeny_columns = [\"customers.city\"]\n"));
    lines.write_all(b"SELECT city FROM customers;\n").unwrap();
    drop(lines);
    let run = Run::of(child.wait_with_output().unwrap());
    assert!(run.code == 1 && run.stderr.contains("configuration_changed"), "{}", run.stderr);
    assert!(!run.stdout.contains("Graz"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_person_has_completion_and_a_history() {
    let project = shop();
    let typed = ["SELECT count(*) AS many\n FROM orders WHERE sta\t = 'paid';\n", "\\q\n"];
    let shown = crate::terminal::typed_at_a_terminal(project.command(&["shell"]), "data> ", &typed);
    assert!(shown.contains("\\? for help") && shown.contains("│ 2 "), "{shown}");
    let history = std::fs::read_to_string(project.path(".periplus/history")).unwrap();
    assert!(history.contains("FROM orders"), "{history}");
}
