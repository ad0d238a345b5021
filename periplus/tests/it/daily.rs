//! What scripts build on: exit codes, exports, snapshots, and questions of one's own. Replies are in `replies.rs`.

use serde_json::Value;

use crate::project::Project;

fn shop() -> Project {
    let project = Project::over(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL, city TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, status TEXT, label TEXT);
         INSERT INTO customers VALUES (1, 'ann@example.org', 'Graz'), (2, 'ben@example.org', NULL);
         INSERT INTO orders VALUES (1, 1, 'paid', ''), (2, 1, 'open', 'two, \"three\"'), (3, 2, 'paid', NULL);",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

#[test]
fn a_change_of_the_database_is_found_where_that_is_asked_for() {
    let project = shop();
    assert_eq!(project.run(&["status", "--check"]).code, 0);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("ALTER TABLE orders ADD COLUMN sent_at TEXT").unwrap();
    assert_eq!((project.run(&["status"]).code, project.run(&["status", "--check"]).code), (0, 4));
}

#[test]
fn a_question_needs_no_quotes() {
    let project = shop();
    for command in ["search", "link"] {
        let words = project.json(&[command, "orders", "of", "customers", "--top", "5"]);
        assert_eq!(words, project.json(&[command, "--top", "5", "orders of customers"]));
    }
    assert_eq!(project.run(&["search", "?"]).code, 2);
}

#[test]
fn the_manual_lists_its_pages() {
    let project = Project::over("CREATE TABLE t (a INTEGER);");
    let (code, list) = project.json(&["manual"]);
    let text = list["text"].as_str().unwrap();
    assert!(code == 0 && text.contains("whose-words") && text.contains("integer_division"), "{text}");
    assert!(project.run(&["manual", "cli"]).stdout.contains("## `periplus demo`"));
}

#[test]
fn an_export_that_was_cut_is_no_success() {
    let project = shop();
    let sql = "SELECT a.id FROM orders a, orders b, orders c ORDER BY a.id";
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{config}[guard]\nmax_rows = 5\n"));
    let cut = project.run(&["query", "--format", "csv", sql]);
    assert!(cut.code == 1 && cut.stderr.contains("truncated"), "{} {}", cut.code, cut.stderr);
    assert_eq!(project.run(&["query", "--format", "csv", "--max-rows", "5", sql]).code, 0);
    assert_eq!(project.run(&["query", sql]).code, 0);
}

#[test]
fn a_snapshot_is_a_source_of_its_own() {
    let project = shop();
    let path = project.path("schema.json");
    assert_eq!(project.run(&["snapshot", path.to_str().unwrap(), "--values"]).code, 0);
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains("paid") && written.contains("customer_id") && !written.contains("example.org"),
        "{written}"
    );
    let config = project.path("periplus.toml");
    assert_eq!(project.run(&["snapshot", config.to_str().unwrap()]).code, 1, "nothing else is written over");
    assert_eq!(project.run(&["snapshot", path.to_str().unwrap(), "--values"]).code, 0);
    let (_, plain) = project.json(&["snapshot"]);
    assert!(plain["tables"].as_array().unwrap().len() == 2 && !plain.to_string().contains("paid"), "{plain}");
    let elsewhere = Project::new();
    let dsn = format!("snapshot:{}", path.display());
    assert_eq!(elsewhere.run(&["--dsn", &dsn, "index"]).code, 0);
    let (_, orders) = elsewhere.json(&["--dsn", &dsn, "describe", "orders"]);
    assert_eq!(orders["foreign_keys"][0]["references"], "customers", "{orders}");
}

#[test]
fn questions_of_ones_own_are_asked_and_judged() {
    let project = shop();
    let question = "how many orders are paid";
    let sql = "SELECT count(*) FROM orders WHERE status = 'paid'";
    assert_eq!(project.run(&["feedback", "approve", "--question", question, "--sql", sql]).code, 0);
    let known = serde_json::json!({"question": question, "sql": "SELECT sum(1) FROM orders WHERE status = 'paid'"});
    project.write("own.txt", &format!("# ours\nWhat is our churn?\n{known}\n"));
    let (own, out) = (project.path("own.txt"), project.path("out.jsonl"));
    let (code, report) = project.json(&["eval", "questions", own.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let right = serde_json::json!({"all": 1, "judged": 1, "right": 1});
    assert_eq!((code, &report["answered"], &report["declined"]["all"]), (0, &right, &Value::from(1)), "{report}");
    let lines = std::fs::read_to_string(out).unwrap();
    assert!(lines.lines().count() == 2 && lines.contains("\"right\":true"), "{lines}");
}

#[test]
fn what_was_asked_last_can_be_corrected_without_typing_it_again() {
    let project = shop();
    assert_eq!(project.run(&["feedback", "approve", "--last"]).code, 2, "nothing has been asked");
    let pair = ["--question", "how many orders are paid", "--sql", "SELECT count(*) FROM orders WHERE status = 'paid'"];
    assert_eq!(project.run(&[&["feedback", "approve"], &pair[..]].concat()).code, 0);
    assert_eq!(project.run(&["ask", "how many orders are paid?"]).code, 0);
    let rejected = project.run(&["feedback", "reject", "--last", "--correction", "open ones count, too"]);
    assert_eq!(rejected.code, 0, "{}", rejected.stderr);
    let asked = project.run(&["ask", "how many orders are paid?"]);
    assert_eq!(asked.code, 1, "what is rejected is no answer any more: {}", asked.stdout);
    // That question got no statement, so there is nothing to speak of.
    let (code, nothing) = project.json(&["feedback", "approve", "--last"]);
    assert_eq!((code, &nothing["error"]["code"]), (1, &Value::from("nothing_to_approve")));
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

#[test]
fn people_judge_what_rows_say() {
    let rows: Vec<String> = (1..=60)
        .map(|number| {
            let gone = if number % 12 == 0 { "'2026-05-01 10:00:00'" } else { "NULL" };
            format!("({number}, {}.5, {gone})", number * 7 % 50)
        })
        .collect();
    let project = Project::over(&format!(
        "CREATE TABLE visits (id INTEGER PRIMARY KEY, fee REAL NOT NULL, deleted_at TEXT); INSERT INTO visits VALUES {};",
        rows.join(", ")
    ));
    assert_eq!(project.run(&["index"]).code, 0);
    let told = || project.run(&["describe", "visits"]).stdout;
    let severity = || {
        let (_, checked) = project.json(&["check", "SELECT count(*) FROM visits"]);
        let findings = checked["findings"].as_array().unwrap().clone();
        let found = findings.into_iter().find(|finding| finding["code"] == "deleted_rows_included");
        found.map(|finding| finding["severity"].as_str().unwrap().to_owned())
    };
    assert!(told().contains("8 % of the rows are marked as deleted"), "{}", told());
    assert_eq!(severity().as_deref(), Some("hint"));

    // Dismissed, it is gone, and stays so when the rows are looked at again.
    let dismiss = ["feedback", "--author", "Ann Lee", "fact", "visits", "deleted_at", "dismiss", "--reason", "kept"];
    assert_eq!(project.run(&dismiss).code, 0);
    assert_eq!(project.run(&["index", "--full"]).code, 0);
    assert!(!told().contains("marked as deleted"), "{}", told());
    assert_eq!(severity(), None);

    // On the page it is struck out; whoever ticks it confirms it.
    assert_eq!(project.run(&["docs", "write"]).code, 0);
    let page = || std::fs::read_to_string(project.path("catalog/visits.md")).unwrap();
    let struck = page();
    let line = struck.lines().find(|line| line.contains("`marked_deleted:deleted_at`")).unwrap();
    assert!(line.starts_with("- ~~"), "{line}");
    let ticked = struck.replace(line, &line.replace("- ~~", "- [x] ").replace("~~", ""));
    project.write("catalog/visits.md", &ticked);
    assert_eq!(project.run(&["docs", "read"]).code, 0);
    assert!(told().contains("(confirmed)"), "{}", told());
    assert_eq!(severity().as_deref(), Some("warning"));
    assert_eq!(project.run(&["docs", "check"]).code, 0);
    assert_eq!(page().lines().filter(|line| line.contains("- [x] `marked_deleted:deleted_at`")).count(), 1);

    assert_eq!(project.run(&["feedback", "fact", "visits", "marked_deleted", "forget"]).code, 0);
    assert_eq!(severity().as_deref(), Some("hint"));
    let (code, unknown) = project.json(&["feedback", "fact", "visits", "fee", "dismiss"]);
    assert_eq!((code, unknown["error"]["code"].as_str()), (1, Some("unknown_fact")));
    assert!(unknown.to_string().contains("marked_deleted:deleted_at"), "{unknown}");
}

#[test]
fn what_has_changed_since_a_snapshot_is_told_and_who_reads_it() {
    let project = Project::over(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, cents INTEGER, status TEXT);
         CREATE TABLE report (amount REAL);
         INSERT INTO orders VALUES (1, 100, 'paid'), (2, 200, 'open');",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("load.sql", "INSERT INTO report (amount) SELECT o.cents FROM orders o WHERE o.status = 'paid'");
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"load.sql\"]\n[model]"));
    assert_eq!(project.run(&["index"]).code, 0);
    let before = project.path("before.json");
    let before = before.to_str().unwrap();
    assert_eq!(project.run(&["snapshot", before, "--values"]).code, 0);
    let same = project.run(&["diff", before, "--fail-on", "any"]);
    assert!(same.code == 0 && same.stdout.contains("nothing has changed"), "{}", same.stdout);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    let changes = "ALTER TABLE orders DROP COLUMN cents; UPDATE orders SET status = 'sent' WHERE status = 'open';
                   ALTER TABLE orders ADD COLUMN note TEXT";
    database.execute_batch(changes).unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    let told = project.run(&["diff", before, "--fail-on", "breaking"]);
    assert_eq!(told.code, 4);
    for line in [
        "! orders.cents: gone",
        "    read by report.amount",
        "! orders.status: values gone: open",
        "    read by rows of report",
        "  orders.status: new values sent",
        "  orders.note: new, TEXT",
    ] {
        assert!(told.stdout.contains(line), "{line}: {}", told.stdout);
    }
    let markdown = project.run(&["diff", before, "--markdown"]).stdout;
    assert!(markdown.contains("| **breaking** | `orders.cents` | `gone` | `report.amount` |"), "{markdown}");
    assert_eq!(project.run(&["diff", before, before, "--fail-on", "any"]).code, 0);
    assert_eq!(project.run(&["diff", "periplus.toml"]).code, 2);
}

#[test]
fn a_term_is_defined_found_and_set_aside() {
    let project = shop();
    let define = ["terms", "define", "paid order", "--also", "settled", "--condition", "orders.status = 'paid'"];
    let defined = project.run(&[&define[..], &["--author", "Ann Lee"]].concat());
    assert!(defined.code == 0 && defined.stdout.contains("rows of orders where orders.status = 'paid'"), "{defined:?}");
    let better = project.run(&["terms", "define", "Paid Order", "--definition", "money has come in"]);
    assert!(better.stdout.contains("money has come in: rows of orders where orders.status = 'paid'"), "{better:?}");
    let (_, linked) = project.json(&["link", "how many settled are there"]);
    assert_eq!(linked["linked"]["terms"][0]["name"], "Paid Order", "{linked}");
    for (wrong, expected) in [
        (&["--expression", "sum(totl)", "--table", "orders"][..], "has no column totl"),
        (&["--expression", "count(DISTINCT email)", "--table", "customers"], "may not be shown"),
        (&["--expression", "count(*)", "--table", "ordrs"], "did you mean orders"),
        (&[], "say what it means"),
    ] {
        let refused = project.run(&[&["terms", "define", "revenue"][..], wrong].concat());
        assert!(refused.code == 1 && refused.stderr.contains(expected), "{refused:?}");
        assert!(refused.stderr.contains("term_refused"), "{refused:?}");
    }
    let unknown = project.run(&["terms", "approve", "paid order", "churn"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("unknown_term"), "{unknown:?}");
    let sql = "SELECT status AS state, sum(id) * 1.5 AS weighted FROM orders GROUP BY 1";
    project.run(&["feedback", "approve", "--question", "weighted states", "--sql", sql]);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("ALTER TABLE customers ADD COLUMN since TEXT").unwrap();
    let indexed = project.run(&["index"]);
    assert!(indexed.stdout.contains("proposed for the glossary: 1 term"), "{indexed:?}");
    let listed = project.run(&["terms"]);
    assert!(listed.stdout.contains("proposed") && listed.stdout.contains("weighted: sum(id) * 1.5"), "{listed:?}");
    assert_eq!(project.run(&["terms", "reject", "weighted"]).code, 0);
    database.execute_batch("ALTER TABLE orders RENAME COLUMN status TO state").unwrap();
    let indexed = project.run(&["index"]);
    assert!(indexed.stdout.contains("the term `Paid Order` is not used: orders.status is gone"), "{indexed:?}");
    assert!(indexed.stdout.contains("approved query 1 is set aside"), "{indexed:?}");
    let (_, linked) = project.json(&["link", "how many settled are there"]);
    let told = linked["linked"]["terms"][0]["meaning"].as_str().unwrap();
    assert_eq!(told, "money has come in; how it is computed is out of date: orders.status is gone");
    let (_, terms) = project.json(&["terms"]);
    assert_eq!(terms[0]["fault"]["column_gone"]["column"], "status", "{terms}");
    assert_eq!(project.run(&["terms", "forget", "paid order"]).code, 0);
}

#[test]
fn what_was_said_is_edited_and_traced() {
    let project = shop();
    let pair =
        ["--question", "How many orders are paid?", "--sql", "SELECT count(*) FROM orders WHERE status = 'open'"];
    assert_eq!(project.run(&[&["feedback", "approve"][..], &pair].concat()).code, 0);
    let sql = "SELECT count(*) FROM orders WHERE status = 'paid'";
    let edited = project.run(&["feedback", "edit", "1", "--sql", sql, "--author", "Ann Lee"]);
    assert!(edited.code == 0 && edited.stdout.contains("in the place of 1"), "{edited:?}");
    let asked = project.run(&["ask", "--no-model", "Please count the orders that are paid"]);
    assert!(asked.code == 0 && asked.stdout.contains("asks the same as “How many orders are paid?”"), "{asked:?}");
    let asked = project.run(&["ask", "--no-model", "Please count the paid orders"]);
    assert!(asked.code == 1 && asked.stdout.contains("words stand in another order"), "{asked:?}");
    let shown = project.run(&["feedback", "show", "2"]);
    assert!(shown.stdout.contains("as answer by") && shown.stdout.contains("by Ann Lee on"), "{shown:?}");
    assert!(project.run(&["feedback", "show", "1"]).stdout.contains("replaced by 2"));
    let refused = project.run(&["feedback", "edit", "2", "--sql", "SELECT gone FROM orders"]);
    assert!(refused.code == 1 && refused.stdout.contains("gone"), "{refused:?}");
    assert_eq!(project.run(&["feedback", "edit", "2", "--correction", "no"]).code, 2);
    assert_eq!(project.run(&["feedback", "edit", "9", "--sql", sql]).code, 1);
    let private =
        ["feedback", "approve", "--question", "All cities", "--sql", "SELECT city FROM customers", "--private"];
    assert!(
        project.run(&[&private[..], &["--expires", "30d", "--author", "Bo"]].concat()).stdout.contains("for Bo alone")
    );
    assert_eq!(project.run(&["ask", "--no-model", "All cities"]).code, 1, "it is Bo's");
    let listed = project.run(&["feedback", "list"]);
    assert!(listed.stdout.contains("approved, private") && listed.stdout.contains("replaced by 2"), "{listed:?}");
}

#[test]
fn what_was_written_is_held_against_what_is_known() {
    let project = shop();
    let folder = project.path("pages");
    let folder = folder.to_str().unwrap();
    assert_eq!(project.run(&["docs", "write", folder]).code, 0);
    let page = project.path("pages/orders.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let edited = text.replacen("## Purpose\n", "## Purpose\n\nTotals are in `total_cents`.\n", 1);
    assert_ne!(edited, text);
    std::fs::write(&page, edited).unwrap();
    assert_eq!(project.run(&["docs", "read", folder]).code, 0);
    let described = project.run(&["describe", "orders"]);
    assert!(described.stdout.contains("no table, column or value is called total_cents"), "{described:?}");
    assert!(project.run(&["status"]).stdout.contains("speaks against what was written of orders"));
}
