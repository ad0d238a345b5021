//! Somebody who asks without end while `index` runs: over the library from the first moment on, and over the server while
//! a new table is looked at.
//!
//! With `unprofiled = "names"` only what is masked by name is promised of a table that nobody has looked at.

use std::fs::File;
use std::process::{Child, Stdio};

use serde_json::json;

use super::cases;
use super::world::{NAMED, SIGNS, VALUED, World, no_secret, table_of_mail};
use crate::served::Served;

fn started(world: &World) -> Child {
    let errors = File::create(world.project.path("index.err")).unwrap();
    world.project.command(&["index"]).stdout(Stdio::null()).stderr(errors).spawn().unwrap()
}

/// Waits for the run, which is to succeed.
fn finish(world: &World, run: &mut Child) {
    let has_succeeded = run.wait().unwrap().success();
    assert!(has_succeeded, "{}", std::fs::read_to_string(world.project.path("index.err")).unwrap());
}

fn is_going(process: &mut Child) -> bool {
    process.try_wait().unwrap().is_none()
}

#[test]
fn who_asks_during_the_first_run_gets_nothing() {
    let world = World::fresh();
    let (mut polls, mut answered) = (0, 0);
    for round in 0..cases(3, 50) {
        drop(std::fs::remove_dir_all(world.project.path(".periplus")));
        let mut run = started(&world);
        while is_going(&mut run) {
            if world.catalog_path().exists() {
                let case = format!("round {round}");
                answered += world.try_all(&world.catalog_path(), [&[NAMED, VALUED], &[NAMED]], &case).unwrap_or(0);
                polls += 1;
            }
        }
        finish(&world, &mut run);
    }
    println!("polls of {polls} catalogs during the first run; {answered} harmless statements answered");
    assert!(polls > 0);
}

#[test]
fn who_asks_for_a_new_table_while_it_is_looked_at_gets_nothing() {
    let world = World::finished();
    let mut served = Served::over(world.project.command(&["serve"]));
    served.initialize();
    let mut polls = 0;
    for round in 0..cases(3, 50) {
        let table = format!("more_{round}");
        world.database().execute_batch(&table_of_mail(&table)).unwrap();
        let mut run = started(&world);
        while is_going(&mut run) {
            for sql in
                [format!("SELECT * FROM {table}"), format!("SELECT k1 FROM {table}"), "SELECT * FROM contacts".into()]
            {
                let answer = served.call("read_query", &json!({"sql": sql, "source": "data"}));
                no_secret(&answer.to_string(), SIGNS, &format!("{sql} in round {round}"));
                no_secret(&world.try_one(&sql), SIGNS, &format!("{sql} in round {round}, library"));
                polls += 1;
            }
            let described = served.call("describe_table", &json!({"table": table}));
            no_secret(&described.to_string(), SIGNS, &format!("round {round}"));
        }
        finish(&world, &mut run);
        let said = world.try_one(&format!("SELECT k1 FROM {table}"));
        assert!(said.contains("masked_column"), "{said}");
    }
    println!("{polls} polls over the server and as many over the library while new tables were looked at");
    assert!(polls > 0);
}
