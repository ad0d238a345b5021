//! Masks over time: what was masked for something that was found of it stays so, whatever becomes of its tables and texts.

use rusqlite::Connection;

use crate::project::{Project, Run};

/// Codes that `moves` has of `parts` without a key that says so; a log with addresses that only their values tell; a table that a
/// script fills from passwords.
const WORLD: &str = "
    CREATE TABLE parts (code TEXT PRIMARY KEY, weight INTEGER);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
        INSERT INTO parts SELECT printf('Q%03dX%04d', i * 7 % 1000, i * 7919 % 10000), i FROM n;
    CREATE TABLE moves (id INTEGER PRIMARY KEY, code TEXT, qty INTEGER);
    INSERT INTO moves (code, qty) SELECT code, weight FROM parts; INSERT INTO moves (code, qty) SELECT code, 1 FROM parts;
    CREATE TABLE log (id INTEGER PRIMARY KEY, c7 TEXT, kind TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        INSERT INTO log (c7, kind) SELECT printf('person%d.canary@example.org', i), 'x' FROM n;
    CREATE TABLE users (id INTEGER PRIMARY KEY, dept TEXT, password TEXT);
    INSERT INTO users VALUES (1, 'ops', 'canary-1'), (2, 'law', 'canary-2');
    CREATE TABLE mart (id INTEGER, grp TEXT); INSERT INTO mart SELECT id, dept || password FROM users;";
const JOB: &str = "INSERT INTO mart (id, grp) SELECT id, dept || password FROM users;";

struct World {
    project: Project,
    database: Connection,
}

impl World {
    fn new() -> Self {
        let project = Project::over(WORLD);
        let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
        std::fs::create_dir(project.path("jobs")).unwrap();
        project.write("jobs/fill.sql", JOB);
        project.write("periplus.toml", &config.replace("[model]", "scripts = [\"jobs\"]\n[model]"));
        let database = Connection::open(project.path("data.db")).unwrap();
        let world = Self { project, database };
        world.index();
        assert_eq!(world.project.run(&["mask", "parts.code"]).code, 0);
        for (table, column) in [("parts", "code"), ("moves", "code"), ("log", "c7"), ("mart", "grp")] {
            assert!(world.is_masked(table, column), "{table}.{column}");
        }
        world
    }

    fn index(&self) -> Run {
        let run = self.project.run(&["index"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    }

    fn execute(&self, sql: &str) {
        self.database.execute_batch(sql).unwrap();
    }

    fn is_masked(&self, table: &str, column: &str) -> bool {
        let (code, document) = self.project.json(&["query", &format!("SELECT {column} FROM {table}")]);
        let findings = document["findings"].to_string();
        assert!(code == 0 || code == 1, "{document:#}");
        code == 1 && (findings.contains("masked_column") || findings.contains("unexamined"))
    }

    /// After each of these and an index run, the column is masked.
    fn stays_masked(&self, (table, column): (&str, &str), steps: &[&str]) {
        for step in steps {
            self.execute(step);
            let run = self.index();
            let told = self.project.run(&["mask"]).stdout;
            assert!(self.is_masked(table, column), "{table}.{column} after {step}: {} {told}", run.stderr);
        }
    }
}

#[test]
fn a_table_that_is_emptied_and_filled_again() {
    let world = World::new();
    let again = "INSERT INTO log (c7, kind) VALUES ('later.canary@example.org', 'y')";
    world.stays_masked(("log", "c7"), &["DELETE FROM log", "INSERT INTO log (c7, kind) VALUES (NULL, 'z')"]);
    world.execute(again);
    assert!(world.is_masked("log", "c7"), "before anybody has looked again");
    world.stays_masked(("log", "c7"), &["UPDATE log SET c7 = 'harmless ' || id"]);
    // Who has it looked at anew where there is something to look at has it decided anew.
    let told = world.project.run(&["index", "--full"]).stdout;
    assert!(told.contains("open now") && told.contains("log.c7") && !world.is_masked("log", "c7"), "{told}");
}

#[test]
fn a_key_whose_other_end_goes_and_comes_back() {
    let world = World::new();
    world.execute("CREATE TABLE aside AS SELECT * FROM parts");
    let back = "CREATE TABLE parts (code TEXT PRIMARY KEY, weight INTEGER); INSERT INTO parts SELECT * FROM aside";
    world.execute("DROP TABLE parts");
    let said = world.index().stdout;
    assert!(said.contains("nothing says any more what masks moves.code"), "{said}");
    assert!(world.is_masked("moves", "code"));
    assert!(!world.index().stdout.contains("moves.code"), "it is said once");
    world.stays_masked(("moves", "code"), &[back, ""]);
    assert!(world.is_masked("parts", "code"));
    world.execute("CREATE TABLE moves_kept AS SELECT * FROM moves; DROP TABLE moves");
    assert_eq!(world.project.run(&["index", "--prune"]).code, 0);
    let again = "CREATE TABLE moves (id INTEGER PRIMARY KEY, code TEXT, qty INTEGER); INSERT INTO moves SELECT * FROM moves_kept";
    world.stays_masked(("moves", "code"), &[again]);
    assert_eq!(world.project.run(&["mask", "--release", "moves.code"]).code, 0);
    world.index();
    assert!(!world.is_masked("moves", "code"), "whoever says so opens it");
}

#[test]
fn tables_and_columns_under_other_names() {
    let world = World::new();
    world.stays_masked(("moves", "code"), &["ALTER TABLE parts RENAME TO parts9"]);
    world.stays_masked(("moves2", "code"), &["ALTER TABLE moves RENAME TO moves2"]);
    world.stays_masked(("moves2", "kode"), &["ALTER TABLE moves2 RENAME COLUMN code TO kode", ""]);
    world.stays_masked(("martx", "grp"), &["ALTER TABLE mart RENAME TO martx"]);
    world.stays_masked(("users", "word"), &["ALTER TABLE users RENAME COLUMN password TO word"]);
}

#[test]
fn a_release_that_is_taken_back() {
    let world = World::new();
    assert_eq!(world.project.run(&["mask", "--release", "parts.code"]).code, 0);
    world.index();
    assert!(!world.is_masked("moves", "code"), "what was masked for it is open with it");
    assert_eq!(world.project.run(&["mask", "parts.code"]).code, 0);
    world.stays_masked(("moves", "code"), &["", "INSERT INTO parts VALUES ('Q999X9999', 81)"]);
}

#[test]
fn what_somebody_says_for_a_while_ends_no_mask() {
    let world = World::new();
    world.project.write("jobs/fill.sql", "");
    world.stays_masked(("mart", "grp"), &[""]);
    for [said, taken_back] in [["mart.grp", "--undo"], ["--release", "--undo"]] {
        let said = if said == "--release" { vec!["mask", "--release", "mart.grp"] } else { vec!["mask", said] };
        assert_eq!(world.project.run(&said).code, 0);
        world.index();
        assert_eq!(world.project.run(&["mask", taken_back, "mart.grp"]).code, 0);
        world.stays_masked(("mart", "grp"), &[""]);
    }
    let config = std::fs::read_to_string(world.project.path("periplus.toml")).unwrap();
    for setting in ["sensitive", "not_sensitive"] {
        world.project.write("periplus.toml", &format!("{config}[profile]\n{setting} = [\"mart.grp\"]\n"));
        world.index();
        world.project.write("periplus.toml", &config);
        world.stays_masked(("mart", "grp"), &[""]);
    }
}

#[test]
fn names_that_are_swapped_or_taken_over() {
    let world = World::new();
    world.execute("CREATE TABLE mart2 (id INTEGER, grp TEXT); INSERT INTO mart2 VALUES (1, 'harmless')");
    world.index();
    let swap = "ALTER TABLE mart RENAME TO aside; ALTER TABLE mart2 RENAME TO mart; ALTER TABLE aside RENAME TO mart2";
    world.stays_masked(("mart2", "grp"), &[swap, ""]);
    world.stays_masked(("mart3", "grp"), &["ALTER TABLE mart2 RENAME TO mart3; ALTER TABLE mart RENAME TO mart2"]);
    let columns = "ALTER TABLE moves RENAME COLUMN code TO x; ALTER TABLE moves RENAME COLUMN qty TO code; \
        ALTER TABLE moves RENAME COLUMN x TO qty";
    world.stays_masked(("moves", "qty"), &[columns]);
    world.stays_masked(
        ("moves", "other"),
        &["ALTER TABLE moves RENAME COLUMN qty TO other; ALTER TABLE moves ADD COLUMN more"],
    );
}

#[test]
fn what_is_held_is_in_no_one_file() {
    let world = World::new();
    let older = std::fs::read(world.project.path(".periplus/lineage.json")).unwrap();
    world.execute("DROP TABLE parts");
    world.project.write("jobs/fill.sql", "");
    world.stays_masked(("moves", "code"), &[""]);
    let lineage = world.project.path(".periplus/lineage.json");
    std::fs::remove_file(&lineage).unwrap();
    world.stays_masked(("moves", "code"), &[""]);
    world.stays_masked(("mart", "grp"), &[""]);
    std::fs::write(&lineage, &older).unwrap();
    assert!(world.is_masked("moves", "code"));
    world.stays_masked(("moves", "code"), &[""]);
    std::fs::remove_file(world.project.path(".periplus/held.json")).unwrap();
    world.stays_masked(("mart", "grp"), &[""]);
}

#[test]
fn a_view_for_a_while() {
    let world = World::new();
    world.execute("ALTER TABLE mart RENAME TO aside; CREATE VIEW mart AS SELECT 1 AS id, 'x' AS grp");
    world.index();
    assert!(!world.is_masked("mart", "grp"), "its definition says what is in it");
    world.stays_masked(("mart", "grp"), &["DROP VIEW mart; ALTER TABLE aside RENAME TO mart"]);
}

#[test]
fn texts_that_are_gone_cut_or_broken_open_nothing() {
    let world = World::new();
    for text in ["", "INSERT INTO mart (id, grp) SELECT id, ", "\u{0}\u{1}", "DELETE FROM elsewhere;"] {
        world.project.write("jobs/fill.sql", text);
        world.stays_masked(("mart", "grp"), &[""]);
    }
    std::fs::remove_file(world.project.path("jobs/fill.sql")).unwrap();
    world.stays_masked(("mart", "grp"), &[""]);
    world.project.write("jobs/fill.sql", JOB);
    world.stays_masked(("mart", "grp"), &["", "ALTER TABLE users DROP COLUMN password", "DROP TABLE users"]);
    // One that says what the column is made from instead does.
    world.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, dept TEXT, password TEXT)");
    for harmless in
        ["INSERT INTO mart (id, grp) SELECT id, dept FROM users;", "UPDATE mart SET grp = 'x' WHERE id < 0;"]
    {
        world.project.write("jobs/fill.sql", harmless);
        world.stays_masked(("mart", "grp"), &[""]);
    }
    world.project.write("jobs/fill.sql", "CREATE TABLE mart AS SELECT id, dept AS grp FROM users;");
    let said = world.index().stdout;
    assert!(said.contains("open now") && said.contains("mart.grp"), "{said}");
    assert!(!world.is_masked("mart", "grp"));
}

#[test]
fn lineage_that_is_lost_is_read_again_for_all_sources() {
    let world = World::new();
    let config = std::fs::read_to_string(world.project.path("periplus.toml")).unwrap();
    let other = "[[sources]]\nid = \"other\"\ndsn = \"sqlite:other.db\"\n";
    Connection::open(world.project.path("other.db")).unwrap().execute_batch("CREATE TABLE o (x INTEGER)").unwrap();
    world.project.write("periplus.toml", &config.replace("[model]", &format!("{other}[model]")));
    assert_eq!(world.project.run(&["index", "--source", "other"]).code, 0);
    std::fs::remove_file(world.project.path(".periplus/lineage.json")).unwrap();
    assert_eq!(world.project.run(&["index", "--source", "other"]).code, 0);
    let refused = world.project.run(&["query", "--source", "data", "SELECT grp FROM mart"]);
    assert!(refused.code == 1 && refused.stdout.contains("masked_column"), "{}", refused.stdout);
}

#[test]
fn what_a_text_makes_is_known_before_it_can_be_read() {
    let world = World::new();
    let config = std::fs::read_to_string(world.project.path("periplus.toml")).unwrap();
    // The other source can't be reached, so that the run fails after this one's tables were looked at.
    let gone = "[[sources]]\nid = \"gone\"\ndsn = \"sqlite:gone.db\"\n";
    world.project.write("periplus.toml", &config.replace("[model]", &format!("{gone}[model]")));
    world.execute("CREATE TABLE mart2 (pp TEXT); INSERT INTO mart2 SELECT password FROM users");
    world.project.write("jobs/more.sql", "INSERT INTO mart2 (pp) SELECT password FROM users;");
    assert_ne!(world.project.run(&["index"]).code, 0);
    let refused = world.project.run(&["query", "--source", "data", "SELECT pp FROM mart2"]);
    assert!(refused.code == 1 && !refused.stdout.contains("canary"), "{}", refused.stdout);
}
