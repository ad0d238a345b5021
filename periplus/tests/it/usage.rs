//! What people usually do, by query logs, asked at the command line and told where a statement is checked.

use crate::project::Project;

const SCHEMA: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, cents INTEGER NOT NULL, status TEXT NOT NULL);
    CREATE TABLE unread (id INTEGER PRIMARY KEY);
    INSERT INTO unread VALUES (1);
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 200)
    INSERT INTO orders SELECT n, 'c' || n % 7, n * 3, CASE n % 5 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'paid' ELSE 'sent' END FROM n;";

fn line(user: &str, sql: &str) -> String {
    serde_json::json!({"user": user, "at": "2026-11-28T16:30:00Z", "query": sql}).to_string() + "\n"
}

/// Four people leave cancelled orders out, in three statements each.
fn log() -> String {
    let mut text = String::new();
    for user in ["ann", "bob", "cyd", "dan"] {
        text += &line(user, "SELECT sum(cents) / 100.0 AS revenue FROM orders WHERE status <> 'cancelled'");
        text += &line(
            user,
            &format!(
                "SELECT customer, sum(cents) / 100.0 AS revenue, '{user}' FROM orders WHERE status IN ('paid', 'sent') GROUP BY 1"
            ),
        );
        text +=
            &line(user, "SELECT round(sum(o.cents) / 100.0, 2) AS revenue FROM orders o WHERE o.status <> 'cancelled'");
        for kind in ["count(*)", "max(cents)"] {
            let form = if user < "c" { "status NOT LIKE 'cancel%'" } else { "NOT (status = 'cancelled')" };
            text += &line(user, &format!("SELECT {kind} FROM orders WHERE {form} AND cents > 7"));
        }
    }
    text + &line("ann", "SELECT nothing FROM nowhere") + &line("ann", "SELEC 1")
}

fn project() -> Project {
    let project = Project::over(SCHEMA);
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    std::fs::create_dir(project.path("logs")).unwrap();
    project.write("logs/day.jsonl", &log());
    project.write("periplus.toml", &config.replace("[model]", "logs = [\"logs\"]\n[model]"));
    let indexed = project.run(&["index"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    assert!(
        indexed.stdout.contains("usage: 22 runs of statements read, 1 table and 2 habits known"),
        "{}",
        indexed.stdout
    );
    project
}

#[test]
fn what_most_do_is_told_of_a_table_and_to_who_forgets_it() {
    let project = project();
    let told = project.run(&["usage", "orders"]).stdout;
    for part in [
        "orders: read in 20 statements of 4 users, 20 times, last on 2026-11-28; no writing seen",
        "  status <> 'cancelled' (20 of 20 statements, 4 of 4 users)",
        "  revenue: sum(cents) / 100.0 (",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let all = project.run(&["usage"]).stdout;
    assert!(all.contains("in no statement: unread") && all.contains("1 could not be understood"), "{all}");
    assert!(project.run(&["describe", "orders"]).stdout.contains("usually status <> 'cancelled'"));
    let forgets = project.run(&["check", "SELECT sum(cents) FROM orders"]).stdout;
    assert!(forgets.contains("hint[usual_filter]") && forgets.contains("status <> 'cancelled'"), "{forgets}");
    let thinks = project.run(&["check", "SELECT status, sum(cents) FROM orders GROUP BY status"]).stdout;
    assert!(!thinks.contains("usual_filter"), "{thinks}");
}

#[test]
fn a_log_is_read_once_and_what_is_no_longer_named_is_forgotten() {
    let project = project();
    let again = project.run(&["index"]).stdout;
    assert!(again.contains("usage: 0 runs of statements read, 1 table and 2 habits known"), "{again}");
    project.write("logs/day.jsonl", &(log() + &line("eve", "SELECT count(*) FROM unread")));
    let more = project.run(&["index"]).stdout;
    assert!(more.contains("usage: 1 run of statements read, 2 tables and 2 habits known"), "{more}");
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &config.replace("logs = [\"logs\"]\n", ""));
    assert_eq!(project.run(&["index"]).code, 0);
    let (code, error) = project.json(&["usage", "orders"]);
    assert_eq!((code, &error["error"]["code"]), (1, &serde_json::json!("no_usage")));
    assert!(!project.path(".periplus/usage-data.json").exists());
}

#[test]
fn a_file_that_is_no_log_is_said_and_nothing_is_lost() {
    let project = project();
    project.write("notes.txt", "once upon a time\n");
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &config.replace("[\"logs\"]", "[\"notes.txt\"]"));
    let failed = project.run(&["index"]);
    assert!(failed.code == 1 && failed.stderr.contains("error[unknown_log]"), "{}", failed.stderr);
    assert!(project.run(&["usage", "orders"]).stdout.contains("status <> 'cancelled'"));
}
