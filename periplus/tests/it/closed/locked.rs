//! Tables that somebody holds while `index` runs: what was found before by their values stays.

use testkit::load::{PostgresServer, load};

use super::world::{SIGNS, VALUED, World, no_secret};
use crate::project::Project;

#[test]
fn a_database_that_is_held_keeps_what_was_found() {
    let world = World::finished();
    world.database().execute_batch("ALTER TABLE letters ADD COLUMN later TEXT").unwrap();
    let holder = world.database();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let run = world.project.run(&["index", "--full"]);
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(!said.contains("panicked"), "{said}");
    println!("index of a database that is held: {} {}", run.code, said.lines().next().unwrap_or_default());
    holder.execute_batch("ROLLBACK").unwrap();
    world.try_all(&world.catalog_path(), [SIGNS, SIGNS], "an index run while the database was held");
    world.try_binary(SIGNS, "an index run while the database was held");
}

#[test]
fn a_table_that_is_held_on_a_server_keeps_what_was_found() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held.db");
    let mut script =
        "CREATE TABLE letters (id INTEGER PRIMARY KEY, c1 TEXT); CREATE TABLE items (id INTEGER, title TEXT);
                      INSERT INTO items VALUES (1, 'lamp');"
            .to_owned();
    for number in 0..40 {
        script += &format!("INSERT INTO letters VALUES ({number}, 'b{number}.{VALUED}@mail.example');");
    }
    rusqlite::Connection::open(&file).unwrap().execute_batch(&script).unwrap();
    let mut loaded = load(Box::new(PostgresServer::at(&url)), &file);
    let project = Project::new();
    let text = |unprofiled: &str| {
        format!(
            "[[sources]]\nid = \"data\"\ndsn = \"{}\"\n[model]\nprovider = \"none\"\n[guard]\nunprofiled = \"{unprofiled}\"\n",
            loaded.dsn()
        )
    };
    let texts = [text("refuse"), text("names")];
    project.write("periplus.toml", &texts[0]);
    assert_eq!(project.run(&["index"]).code, 0);
    for change in ["", "ALTER TABLE letters ADD COLUMN later TEXT;"] {
        loaded.execute(&format!("{change} BEGIN; LOCK TABLE letters IN ACCESS EXCLUSIVE MODE"));
        let run = project.run(&["index", "--full"]);
        loaded.execute("ROLLBACK");
        println!("index with a table held: {}\n{}", run.code, run.stderr);
        for text in &texts {
            project.write("periplus.toml", text);
            for sql in ["SELECT c1 FROM letters", "SELECT * FROM letters", "SELECT max(c1) FROM letters"] {
                let run = project.run(&["query", sql]);
                assert_eq!(run.code, 1, "{}", run.stdout);
                no_secret(&format!("{}{}", run.stdout, run.stderr), &[VALUED], sql);
            }
            let run = project.run(&["query", "SELECT title FROM items"]);
            assert!(run.stdout.contains("lamp"), "{}{}", run.stdout, run.stderr);
        }
    }
}
