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
