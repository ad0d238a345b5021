//! `periplus watch`: what changes is known a moment later, without a command.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::project::Project;

/// A process that ends with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Far more than it takes, since machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what} isn't seen");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn changed_structures_and_scripts_are_seen_while_it_runs() {
    let project = Project::over(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, cents INTEGER); CREATE TABLE totals (cents INTEGER);",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    std::fs::create_dir(project.path("jobs")).unwrap();
    project.write("jobs/night.sql", "INSERT INTO totals SELECT cents FROM orders;");
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"jobs\"]\n[model]"));
    let mut command = project.command(&["watch", "--every", "1"]);
    let _watching = Watching(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let told = |arguments: &[&str]| project.run(arguments).stdout;
    wait_for("the first state", || told(&["lineage", "totals", "--up"]).contains("orders"));
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.busy_timeout(PATIENCE).unwrap();
    database.execute_batch("ALTER TABLE orders ADD COLUMN status TEXT").unwrap();
    wait_for("a new column", || told(&["describe", "orders"]).contains("status"));
    database.execute_batch("CREATE VIEW paid AS SELECT id, cents FROM orders WHERE status = 'paid'").unwrap();
    wait_for("a new view", || told(&["tables"]).contains("paid"));
    project.write("jobs/night.sql", "INSERT INTO totals SELECT sum(cents) FROM paid;");
    wait_for("another script", || told(&["lineage", "totals", "--up"]).contains("paid"));
    database.execute_batch("DROP VIEW paid; ALTER TABLE orders RENAME TO purchases").unwrap();
    wait_for("another name", || told(&["tables"]).contains("purchases"));
}

#[test]
fn edited_pages_are_taken_over_while_it_runs() {
    let project = Project::over("CREATE TABLE orders (id INTEGER PRIMARY KEY, cents INTEGER);");
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["docs", "write"]).code, 0);
    let mut command = project.command(&["watch", "--every", "1"]);
    let _watching = Watching(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let page = std::fs::read_to_string(project.path("catalog/orders.md")).unwrap();
    let (before, generated) = page.split_once("\n## Purpose\n").unwrap();
    let (_, after) = generated.split_once("\n## ").unwrap();
    let edited = format!("{before}\n## Purpose\n\nWhat customers of the mill order.\n\n## {after}");
    wait_for("an edited page", || {
        // Whoever watches may not have begun.
        project.write("catalog/orders.md", &edited);
        project.run(&["describe", "orders"]).stdout.contains("customers of the mill")
    });
}
