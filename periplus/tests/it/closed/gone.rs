//! Masked anew means gone: nothing of what was known of the values before is left in any file below the project.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::world::files_below;
use crate::project::Project;
use crate::served::Served;

/// Values that a profile keeps while they are open, and the free text in which a query of people holds one.
const OLD: [&str; 3] = ["qo7f3a amber", "qo7f3a basil", "qo7f3a cedar"];

fn project() -> Project {
    let mut script = "CREATE TABLE notes (id INTEGER PRIMARY KEY, remark TEXT, kind TEXT);
                      CREATE VIEW remarks AS SELECT id, remark AS said FROM notes;"
        .to_owned();
    for number in 0..60 {
        script += &format!("INSERT INTO notes VALUES ({number}, '{}', 'call');", OLD[number % OLD.len()]);
    }
    let project = Project::over(&script);
    for command in [&["index"][..], &["docs", "write"], &["search", "amber"]] {
        let run = project.run(command);
        assert_eq!(run.code, 0, "{command:?}: {}", run.stderr);
    }
    project
}

/// The files below the project that hold an old value, but for the database itself.
fn holding(project: &Project) -> Vec<String> {
    let holds = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        OLD.iter().any(|old| bytes.windows(old.len()).any(|window| window == old.as_bytes()))
    };
    let files = files_below(project.folder()).into_iter();
    let files = files.filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with("data.db"));
    files.filter(|path| holds(path)).map(|path| path.display().to_string()).collect()
}

#[test]
fn what_a_person_masks_is_gone_from_every_file() {
    let project = project();
    let before = holding(&project);
    for part in ["catalog.db", "index.bin", ".md"] {
        assert!(before.iter().any(|file| file.contains(part)), "{part} never had it: {before:?}");
    }
    assert_eq!(project.run(&["mask", "notes.remark"]).code, 0);
    let run = project.run(&["index"]);
    assert_eq!((run.code, holding(&project)), (0, Vec::new()), "{}", run.stderr);
}

#[test]
fn what_the_configuration_masks_is_gone_from_every_file() {
    let project = project();
    let text = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{text}[profile]\nsensitive = [\"notes.remark\"]\n"));
    let run = project.run(&["index"]);
    assert_eq!((run.code, holding(&project)), (0, Vec::new()), "{}", run.stderr);
}

#[test]
fn what_is_masked_while_agents_are_served_is_gone_when_that_ends() {
    let project = project();
    let mut served = Served::over(project.command(&["serve"]));
    served.initialize();
    let question = json!({"sql": "SELECT remark FROM notes", "source": "data"});
    assert!(served.call("read_query", &question).to_string().contains(OLD[0]));
    let begun = Instant::now();
    let run = project.run(&["mask", "notes.remark"]);
    assert!(run.code == 0 && run.stdout.contains("still being read"), "{}", run.stdout);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let refused = served.call("read_query", &question).to_string();
    assert!(refused.contains("masked_column") && !refused.contains(OLD[0]), "{refused}");
    drop(served);
    let run = project.run(&["index"]);
    assert!(run.code == 0 && !run.stdout.contains("still being read"), "{}", run.stdout);
    assert_eq!(holding(&project), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let project = project();
    assert_eq!(project.run(&["query", "SELECT kind FROM notes"]).code, 0);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in [".periplus", "catalog"] {
        let files = files_below(&project.path(folder));
        assert!(!files.is_empty(), "{folder}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
            assert_eq!(mode(file.parent().unwrap()), 0o700, "{}", file.display());
        }
    }
}

/// Values that differ in their digits alone: their form is their text.
fn project_of_forms() -> Project {
    let project = Project::over(
        "CREATE TABLE staff (id INTEGER PRIMARY KEY, code TEXT, kind TEXT, salary INTEGER);
         CREATE TABLE codes (id INTEGER PRIMARY KEY, code TEXT, kind TEXT);
         CREATE VIEW shown AS SELECT id, kind AS k2, code AS co FROM codes;
         CREATE VIEW well_paid AS SELECT id, kind FROM staff WHERE salary > 5000;
         CREATE VIEW their_pay AS SELECT salary FROM staff WHERE salary > 5000;
         CREATE VIEW how_many AS SELECT count(*) AS n FROM their_pay;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO staff SELECT i, 'diagnosed with leukaemia case ' || i, 'k' || (i % 3), 3000 + i * 10 FROM n;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO codes SELECT i, 'secret-project-orion-' || i, CASE i % 2 WHEN 0 THEN 'zebra' ELSE 'okapi' END FROM n;",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

/// Two hundred of the four hundred earn more: 3,000 and ten for each.
#[test]
fn which_rows_a_view_has_is_told_by_nothing_whatever_masks_its_columns() {
    let project = project_of_forms();
    let tells_nothing = |project: &Project| {
        for view in ["well_paid", "their_pay", "how_many"] {
            for query in ["SELECT count(*) FROM {}", "SELECT 1 FROM {} LIMIT 1", "SELECT * FROM {}"] {
                let (code, said) = project.json(&["query", &query.replace("{}", view)]);
                assert_eq!(code, 1, "{query} {view}: {said:#}");
            }
            let (_, described) = project.json(&["describe", view]);
            assert!(!described.to_string().contains("200"), "{described:#}");
        }
        let (_, found) = project.json(&["check", "SELECT count(*) FROM how_many WHERE n = '1'"]);
        assert!(!found.to_string().contains("200"), "{found:#}");
    };
    tells_nothing(&project);
    // A mask of a person's takes nothing away.
    assert_eq!(project.run(&["mask", "well_paid.kind"]).code, 0);
    tells_nothing(&project);
    assert_eq!(project.run(&["index"]).code, 0);
    tells_nothing(&project);
}

#[test]
fn no_advice_tells_what_masked_values_look_like() {
    let project = project_of_forms();
    assert_eq!(project.run(&["mask", "codes.code", "codes.kind"]).code, 0);
    for (table, column, value) in [("staff", "code", "leukaemia"), ("codes", "code", "orion"), ("shown", "co", "orion")]
    {
        for condition in ["= '5'", "= 5", "LIKE 'x%'", "IN ('1', '2')", "> 'a'"] {
            let (_, found) = project.json(&["check", &format!("SELECT id FROM {table} WHERE {column} {condition}")]);
            assert!(!found.to_string().contains(value), "{table} {condition}: {found:#}");
        }
    }
    // Before the next `index`, too.
    let files = files_below(&project.path(".periplus"))
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("catalog.db"));
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for value in ["orion", "okapi", "zebra", "leukaemia"] {
            let holds = bytes.windows(value.len()).any(|window| window == value.as_bytes());
            assert!(!holds, "{} holds {value}", file.display());
        }
    }
}

#[test]
fn how_many_rows_a_masked_column_lets_through_is_not_told() {
    let project = project_of_forms();
    for sql in ["SELECT count(*) FROM well_paid", "SELECT 1 FROM well_paid", "SELECT exists(SELECT 1 FROM well_paid)"] {
        let (code, found) = project.json(&["query", sql]);
        assert!(code == 1 && found.to_string().contains("masked_column"), "{sql}: {found:#}");
    }
    let (_, described) = project.json(&["describe", "well_paid"]);
    assert!(described["rows"].is_null() && !described.to_string().contains("200"), "{described:#}");
    let (code, counted) = project.json(&["query", "SELECT count(*) AS n FROM staff"]);
    assert_eq!((code, &counted["result"]["rows"][0][0]), (0, &json!(400)), "{counted:#}");
}

#[test]
fn what_an_agent_wrote_before_a_column_was_masked_is_not_taken_over() {
    let project = project_of_forms();
    let text = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &format!("{text}\n[docs]\nreview = true\n"));
    let mut served = Served::over(project.command(&["serve", "--document"]));
    served.initialize();
    let about = |table: &str| {
        json!({"table": table, "purpose": "Codes of projects such as secret-project-orion-7, in the words of the trade.",
               "one_row": "one code", "questions": ["Which codes are there?"]})
    };
    let taken = served.call("document_tables", &json!({"tables": [about("codes"), about("staff")]})).to_string();
    assert!(taken.contains("Taken: 2"), "{taken}");
    drop(served);
    assert_eq!(project.run(&["mask", "codes.code"]).code, 0);
    let run = project.run(&["docs", "proposed"]);
    assert!(!run.stdout.contains("orion"), "{}", run.stdout);
    let holds = files_below(&project.path(".periplus/proposed"))
        .iter()
        .any(|path| std::fs::read_to_string(path).unwrap().contains("orion"));
    assert!(!holds);
}
