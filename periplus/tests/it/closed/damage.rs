//! A finished catalog, damaged: cell by cell, at random places of its file and its log, and in the search index.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

use super::world::{NAMED, OPEN, SIGNS, World};
use super::{cases, chance};

/// No case may take longer.
const LONGEST: Duration = Duration::from_secs(30);

/// A copy of a catalog, to be damaged.
struct Copy {
    _folder: TempDir,
    path: PathBuf,
}

impl Copy {
    fn of(catalog: &[u8], log: Option<&[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        std::fs::write(&path, catalog).unwrap();
        if let Some(log) = log {
            std::fs::write(folder.path().join("catalog.db-wal"), log).unwrap();
        }
        Self { _folder: folder, path }
    }
}

/// The catalog's file, with nothing beside it.
fn bytes_of(world: &World) -> Vec<u8> {
    drop(crate::project::store(&world.catalog_path()));
    std::fs::read(world.catalog_path()).unwrap()
}

#[derive(Clone, Debug)]
struct Cell {
    table: String,
    row: i64,
    column: String,
}

const WAYS: [&str; 8] = ["cut", "changed", "emptied", "null", "blob", "another's", "row deleted", "row another's"];

/// Opened so that everything can be done to it.
fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection
}

fn cells(path: &Path) -> Vec<Cell> {
    let connection = open(path);
    let mut tables =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut cells = Vec::new();
    for table in tables {
        let columns = columns_of(&connection, &table);
        let sql = format!("SELECT count(*) FROM {table}");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        for row in 0..rows {
            let of_row = columns.iter().map(|column| Cell { table: table.clone(), row, column: column.clone() });
            cells.extend(of_row);
        }
    }
    cells
}

fn columns_of(connection: &Connection, table: &str) -> Vec<String> {
    let statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    statement.column_names().map(str::to_owned).collect()
}

/// Damages a cell or its row; says whether that could be done.
fn damage(path: &Path, cell: &Cell, way: &str, chance: &mut fastrand::Rng) -> bool {
    let Cell { table, row, column } = cell;
    if way == "null" {
        // The file of somebody who had no such constraint.
        let connection = open(path);
        connection.pragma_update(None, "writable_schema", true).unwrap();
        connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')", []).unwrap();
    }
    let connection = open(path);
    let key = columns_of(&connection, table)[0].clone();
    let at = |row: i64| format!("(SELECT {key} FROM {table} ORDER BY 1 LIMIT 1 OFFSET {row})");
    let old: Value = connection
        .query_row(&format!("SELECT {column} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {row}"), [], |row| row.get(0))
        .unwrap();
    let put = |value: Value| {
        let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {key} IS {}", at(*row));
        connection.execute(&sql, [value]).is_ok_and(|changed| changed == 1)
    };
    let count: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
    let other = (row + 1) % count;
    match (way, old) {
        ("cut", Value::Text(text)) => {
            put(Value::Text(text.chars().take(text.chars().count().saturating_sub(1)).collect()))
        }
        ("changed", Value::Text(text)) if !text.is_empty() => {
            let mut bytes = text.into_bytes();
            let place = chance.usize(..bytes.len());
            bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
            String::from_utf8(bytes).is_ok_and(|text| put(Value::Text(text)))
        }
        ("changed", Value::Integer(number)) => put(Value::Integer(number ^ (1 << chance.u32(..40)))),
        ("emptied", _) => put(Value::Text(String::new())),
        ("null", _) => put(Value::Null),
        ("blob", _) => put(Value::Blob(vec![0xff, 0, 0xfe])),
        ("another's", _) if other != *row => {
            let sql = format!("SELECT {column} FROM {table} WHERE {key} IS {}", at(other));
            put(connection.query_row(&sql, [], |row| row.get(0)).unwrap())
        }
        ("row deleted", _) => {
            connection.execute(&format!("DELETE FROM {table} WHERE {key} IS {}", at(*row)), []).is_ok()
        }
        ("row another's", _) if other != *row => {
            let others = columns_of(&connection, table).into_iter().skip(1);
            let set: Vec<String> = others
                .map(|column| format!("{column} = (SELECT {column} FROM {table} WHERE {key} IS {})", at(other)))
                .collect();
            let sql = format!("UPDATE {table} SET {} WHERE {key} IS {}", set.join(", "), at(*row));
            !set.is_empty() && connection.execute(&sql, []).is_ok()
        }
        _ => false,
    }
}

/// What became of cases.
#[derive(Debug, Default)]
struct Tally {
    tried: usize,
    not_opened: usize,
    all_open_answered: usize,
    longest: Duration,
}

impl Tally {
    fn add(&mut self, begun: Instant, answered: Option<usize>, case: &str) {
        let took = begun.elapsed();
        assert!(took < LONGEST, "{took:?} after {case}");
        self.tried += 1;
        self.not_opened += usize::from(answered.is_none());
        self.all_open_answered += usize::from(answered == Some(OPEN.len()));
        self.longest = self.longest.max(took);
    }
}

#[test]
fn a_damaged_cell_brings_no_secret_out() {
    let world = World::finished();
    let told = world.project.run(&[
        "feedback",
        "approve",
        "--question",
        "how many items",
        "--sql",
        "SELECT count(*) FROM items",
    ]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let catalog = bytes_of(&world);
    let all: Vec<(Cell, &str)> = cells(&Copy::of(&catalog, None).path)
        .into_iter()
        .flat_map(|cell| WAYS.map(|way| (cell.clone(), way)))
        .collect();
    let mut chance = chance();
    let chosen = chance.choose_multiple(&all, cases(60, all.len()));
    let mut tally = Tally::default();
    for (cell, way) in chosen {
        let copy = Copy::of(&catalog, None);
        if !damage(&copy.path, cell, way, &mut chance) {
            continue;
        }
        let (begun, case) = (Instant::now(), format!("{cell:?} {way}"));
        let answered = world.try_all(&copy.path, [SIGNS, SIGNS], &case);
        tally.add(begun, answered, &case);
    }
    println!("damaged cells, of {}: {tally:?}", all.len());
    assert!(tally.tried > 20 && tally.all_open_answered > tally.tried / 2, "{tally:?}");
}

/// Overwrites 1 to 64 bytes, together or apart, or cuts the end off.
fn damage_bytes(bytes: &mut Vec<u8>, chance: &mut fastrand::Rng) -> String {
    let (count, place) = (chance.usize(1..=64), chance.usize(..bytes.len()));
    match chance.u8(..8) {
        0 => {
            bytes.truncate(place);
            format!("cut at {place}")
        }
        1..=3 => {
            for _ in 0..count {
                let place = chance.usize(..bytes.len());
                bytes[place] = chance.u8(..);
            }
            format!("{count} bytes here and there, first drawn {place}")
        }
        4 => {
            // Where it says what lies where.
            let place = place % 4096;
            bytes.iter_mut().skip(place).take(count).for_each(|byte| *byte = chance.u8(..));
            format!("{count} bytes at {place}")
        }
        _ => {
            bytes.iter_mut().skip(place).take(count).for_each(|byte| *byte = chance.u8(..));
            format!("{count} bytes at {place}")
        }
    }
}

#[test]
fn random_damage_of_the_file_brings_no_secret_out() {
    let world = World::finished();
    let catalog = bytes_of(&world);
    let mut chance = chance();
    let mut tally = Tally::default();
    for number in 0..cases(60, 1_600) {
        let mut damaged = catalog.clone();
        let case = format!("{number}: {}", damage_bytes(&mut damaged, &mut chance));
        let copy = Copy::of(&damaged, None);
        let begun = Instant::now();
        let answered = world.try_all(&copy.path, [SIGNS, SIGNS], &case);
        tally.add(begun, answered, &case);
    }
    println!("random damages: {tally:?}");
    assert!(tally.all_open_answered > tally.tried / 4, "{tally:?}");
}

/// A catalog of which all that a whole run wrote is still in the log.
fn with_log(world: &World, commands: &[&[&str]]) -> (Vec<u8>, Vec<u8>) {
    let path = world.catalog_path();
    let reader = open(&path);
    reader.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").unwrap();
    for command in commands {
        let run = world.project.run(command);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let log = std::fs::read(path.with_file_name("catalog.db-wal")).unwrap();
    (std::fs::read(&path).unwrap(), log)
}

#[test]
fn random_damage_of_the_log_brings_no_secret_out() {
    let world = World::finished();
    let (catalog, log) = with_log(&world, &[&["index", "--full"]]);
    let mut chance = chance();
    let mut tally = Tally::default();
    for number in 0..cases(20, 400) {
        let (mut catalog, mut log) = (catalog.clone(), log.clone());
        let mut case = format!("{number}, log: {}", damage_bytes(&mut log, &mut chance));
        if chance.u8(..4) == 0 {
            case += &format!(", file: {}", damage_bytes(&mut catalog, &mut chance));
        }
        let copy = Copy::of(&catalog, Some(&log));
        let begun = Instant::now();
        let answered = world.try_all(&copy.path, [SIGNS, SIGNS], &case);
        tally.add(begun, answered, &case);
    }
    println!("random damages of the log: {tally:?}");
    assert!(tally.all_open_answered > tally.tried / 2, "{tally:?}");
}

#[test]
fn a_first_run_whose_log_is_damaged_shows_nothing_that_nobody_has_looked_at() {
    let world = World::fresh();
    drop(crate::project::store(&world.catalog_path()));
    let (catalog, log) = with_log(&world, &[&["index"]]);
    let mut chance = chance();
    for number in 0..cases(20, 200) {
        let mut log = log.clone();
        let case = format!("{number}, first log: {}", damage_bytes(&mut log, &mut chance));
        let copy = Copy::of(&catalog, Some(&log));
        // Nobody has masked the note; by the other setting, names alone decide where nobody has looked.
        world.try_all(&copy.path, [&SIGNS[..2], &[NAMED]], &case);
    }
}

#[test]
fn the_binary_says_what_is_damaged_and_an_index_run_opens_nothing() {
    let world = World::finished();
    let catalog = bytes_of(&world);
    let all: Vec<(Cell, &str)> = cells(&Copy::of(&catalog, None).path)
        .into_iter()
        .flat_map(|cell| WAYS.map(|way| (cell.clone(), way)))
        .collect();
    let mut chance = chance();
    for number in 0..cases(3, 60) {
        let path = world.catalog_path();
        for beside in ["catalog.db-wal", "catalog.db-shm"] {
            drop(std::fs::remove_file(path.with_file_name(beside)));
        }
        let mut damaged = catalog.clone();
        let case = if number % 2 == 0 {
            let place = chance.choice(&all).unwrap();
            std::fs::write(&path, &damaged).unwrap();
            damage(&path, &place.0, place.1, &mut chance);
            format!("{place:?}")
        } else {
            let case = damage_bytes(&mut damaged, &mut chance);
            std::fs::write(&path, &damaged).unwrap();
            case
        };
        let unprofiled = ["refuse", "names"][number / 2 % 2];
        let text = "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n[model]\nprovider = \"none\"\n";
        world.project.write("periplus.toml", &format!("{text}[guard]\nunprofiled = \"{unprofiled}\"\n"));
        world.try_binary(SIGNS, &case);
        let run = world.project.run(&["index"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!([0, 1].contains(&run.code) && !said.contains("panicked"), "{case}: {said}");
        world.try_all(&path, [SIGNS, SIGNS], &format!("{case} and another run"));
    }
}

#[test]
fn a_damaged_search_index_brings_no_secret_out() {
    let world = World::finished();
    let files = super::world::files_below(&world.project.path(".periplus/index"));
    assert!(!files.is_empty());
    let whole: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    let mut chance = chance();
    for number in 0..cases(4, 60) {
        let at = chance.usize(..files.len());
        let mut bytes = whole[at].clone();
        let case = match number {
            0 => {
                bytes.clear();
                "emptied".to_owned()
            }
            _ => damage_bytes(&mut bytes, &mut chance),
        };
        std::fs::write(&files[at], &bytes).unwrap();
        world.try_binary(SIGNS, &format!("{} {case}", files[at].display()));
    }
}
