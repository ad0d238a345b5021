//! The examples on the rules' pages are what `periplus check` prints.
//!
//! `guard/tests/it/pages.rs` holds the pages to what the guard says, in a scene that it makes. Here the program itself is
//! asked, over the same tables and a catalog that it made, whatever needs no other scene: none of its words may differ.

use std::path::Path;

use crate::project::Project;

/// Pages whose examples rest on what indexing these tables doesn't find: that a table is stale or can't be read, what many rows
/// would say, and values in the order of the alphabet.
const OTHERWISE: [&str; 5] = ["join_mismatch", "stale_table", "unheeded_fact", "unreadable_table", "usual_filter"];

#[test]
fn examples_that_need_no_scene_are_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let tables = read("guard/tests/specs/schema.sql") + &read("guard/tests/it/pages/tables.sql");
    let project = Project::over_source("shop", &tables);
    let indexed = project.run(&["index"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    let newer = read("guard/tests/it/pages/newer.sql");
    rusqlite::Connection::open(project.path("data.db")).unwrap().execute_batch(&newer).unwrap();
    let mut compared = 0;
    let mut failures = Vec::new();
    for page in std::fs::read_dir(root.join("docs/rules")).unwrap() {
        let path = page.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if OTHERWISE.contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let section = text.split("\n## ").find(|section| section.starts_with("Example")).unwrap_or_default();
        for example in section.split("```sql\n").skip(1) {
            let (sql, rest) = example.split_once("```").unwrap();
            let said = rest.split_once("```text\n").unwrap().1.split("```").next().unwrap();
            if sql.starts_with("-- ") {
                continue;
            }
            compared += 1;
            let run = project.run(&["check", sql.trim_end()]);
            let printed: String =
                run.stdout.lines().filter(|line| !is_mark(line)).map(|line| format!("{line}\n")).collect();
            if without_days(&printed) != without_days(said) {
                failures.push(format!("{name}: {sql}the page says\n{said}and the program\n{printed}{}", run.stderr));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared >= 20, "{compared}");
}

fn is_mark(line: &str) -> bool {
    line.starts_with("<data-") || line.starts_with("</data-")
}

/// The text, where days on which a column was looked at are not told apart.
fn without_days(text: &str) -> String {
    let mut parts = text.split("of the column on ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "of the column on …" + part.get("2026-06-30".len()..).unwrap_or_default())
}
