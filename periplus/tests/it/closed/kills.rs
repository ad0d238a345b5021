//! `index` killed at any moment of its beginning: what it left behind is asked at once.

use std::process::Stdio;
use std::time::Duration;

use super::world::{NAMED, RULED, SIGNS, VALUED, World, table_of_mail};
use super::{cases, chance};

/// Kills a run after so many milliseconds; says whether it was still going.
fn killed(world: &World, after: Duration) -> bool {
    let mut command = world.project.command(&["index"]);
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let was_going = process.try_wait().unwrap().is_none();
    process.kill().unwrap();
    process.wait().unwrap();
    was_going
}

/// How many tables of the catalog have a structure, and how many of these a profile.
fn state(world: &World) -> Option<(usize, usize)> {
    let path = world.catalog_path();
    let catalog = path.exists().then(|| crate::project::try_store(&path)?.catalog().ok()).flatten()?;
    let profiled = catalog.entries().iter().filter(|entry| entry.profile().is_some()).count();
    Some((catalog.entries().len(), profiled))
}

#[derive(Debug, Default)]
struct Met {
    nothing: usize,
    structure_alone: usize,
    half: usize,
    all: usize,
    ended: usize,
}

impl Met {
    fn add(&mut self, was_going: bool, state: Option<(usize, usize)>) {
        let counted = match state {
            _ if !was_going => &mut self.ended,
            None | Some((0, _)) => &mut self.nothing,
            Some((_, 0)) => &mut self.structure_alone,
            Some((tables, profiled)) if profiled < tables => &mut self.half,
            Some(_) => &mut self.all,
        };
        *counted += 1;
    }
}

#[test]
fn a_first_run_that_is_killed_leaves_nothing_open() {
    let mut chance = chance();
    let mut met = Met::default();
    let world = World::fresh();
    for number in 0..cases(10, 100) {
        drop(std::fs::remove_dir_all(world.project.path(".periplus")));
        let after = Duration::from_millis(chance.u64(..=300));
        let was_going = killed(&world, after);
        met.add(was_going, state(&world));
        if world.catalog_path().exists() {
            // Nobody has masked the note; where nobody has looked, names alone decide by the other setting.
            let case = format!("kill {number} after {after:?}");
            world.try_all(&world.catalog_path(), [&[NAMED, VALUED], &[NAMED]], &case);
        }
    }
    println!("first runs killed: {met:?}");
    assert_eq!(world.project.run(&["index"]).code, 0);
    world.try_all(&world.catalog_path(), [&[NAMED, VALUED]; 2], "the run that ends");
}

#[test]
fn a_later_run_that_is_killed_takes_nothing_back() {
    let mut chance = chance();
    let mut met = Met::default();
    let world = World::finished();
    for number in 0..cases(10, 100) {
        // What was found and what was said before goes on to hold in tables that have changed.
        world
            .database()
            .execute_batch(&format!(
                "ALTER TABLE letters ADD COLUMN w{number} TEXT; ALTER TABLE notes ADD COLUMN w{number} TEXT;
                 ALTER TABLE people ADD COLUMN w{number} TEXT; ALTER TABLE pad_1 ADD COLUMN w{number} TEXT; {}",
                table_of_mail(&format!("more_{number}"))
            ))
            .unwrap();
        let after = Duration::from_millis(chance.u64(..=300));
        let was_going = killed(&world, after);
        met.add(was_going, state(&world));
        let case = format!("later kill {number} after {after:?}");
        assert!(world.try_all(&world.catalog_path(), [SIGNS, SIGNS], &case).is_some(), "{case}");
        let said = world.try_one(&format!("SELECT * FROM more_{number}"));
        super::world::no_secret(&said, &[VALUED, NAMED, RULED], &case);
    }
    println!("later runs killed: {met:?}");
    assert_eq!(world.project.run(&["index"]).code, 0);
    world.try_all(&world.catalog_path(), [SIGNS, SIGNS], "the run that ends");
}
