//! What is left on the disk: for its owner's eyes, without secrets, and kept out of version control.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::closed::files_below;
use crate::project::Project;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_written_is_its_owners() {
    let project = Project::over("CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 'a')");
    std::fs::remove_file(project.path("periplus.toml")).unwrap();
    let database = project.path("data.db").display().to_string();
    let before = files_below(project.folder());
    for command in
        [&["init", &database][..], &["index"], &["mask", "t.y"], &["query", "SELECT x FROM t"], &["docs", "write"]]
    {
        let run = project.run(command);
        assert_eq!(run.code, 0, "{command:?}: {}{}", run.stdout, run.stderr);
    }
    let written: Vec<_> = files_below(project.folder()).into_iter().filter(|path| !before.contains(path)).collect();
    assert!(written.len() > 5, "{written:?}");
    for path in &written {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    let state = project.path(".periplus");
    assert_eq!(mode(&state), 0o700);
    assert_eq!(std::fs::read_to_string(state.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_folder_that_was_open_to_others_is_closed() {
    let project = Project::over("CREATE TABLE t (x)");
    let state = project.path(".periplus");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(mode(&state), 0o700);
}

/// Needs a server whose address holds a password, as those of most do.
#[test]
fn a_password_is_not_written_down() {
    let Ok(dsn) = std::env::var("PERIPLUS_TEST_MYSQL") else {
        eprintln!("skipped: a_password_is_not_written_down (PERIPLUS_TEST_MYSQL is not set)");
        return;
    };
    let Some(secret) = connect::secret_in(&dsn).map(|range| dsn[range].to_owned()) else {
        eprintln!("skipped: a_password_is_not_written_down (PERIPLUS_TEST_MYSQL holds no password)");
        return;
    };
    let project = Project::new();
    let (code, document) = project.json(&["init", &dsn, "--name", "my-shop"]);
    assert_eq!((code, document["set"].as_str()), (0, Some("MY_SHOP_PASSWORD")), "{document:#}");
    let written = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    assert!(written.contains(":${MY_SHOP_PASSWORD}@"), "{written}");
    let (code, document) = project.json(&["status"]);
    assert_eq!((code, document["error"]["code"].as_str()), (2, Some("config_missing_variable")), "{document:#}");
    let run = project.command(&["status"]).env("MY_SHOP_PASSWORD", secret).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains("not_indexed"), "{said}");
}
