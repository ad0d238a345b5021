//! Every file below `specs/` is read, and each statement in it has to say what stands beside it.
//! `PERIPLUS_UPDATE=1` writes what is read into the files, to be looked through.

use std::path::{Path, PathBuf};

use sql::CatalogSchema;

use crate::facts::{LISTS, facts};
use crate::schema::{SOURCE, catalog};
use crate::spec::{Spec, shown};

#[test]
fn statements_say_what_stands_beside_them() {
    let is_update = std::env::var_os("PERIPLUS_UPDATE").is_some();
    let (mut failures, mut cases) = (Vec::new(), 0);
    for file in files() {
        let name = file.strip_prefix(folder()).unwrap().display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let mut spec = Spec::of(&text, &LISTS).unwrap_or_else(|what| panic!("{name}: {what}"));
        let (shows, search_path) = (spec.shows.clone(), spec.search_path.clone());
        for block in &mut spec.blocks {
            let found = block.read(|dialect, statement| {
                let catalog = catalog(dialect, &search_path);
                let reading = sql::read(statement, dialect, &CatalogSchema::new(&catalog, SOURCE));
                facts(&reading, &shows, statement, &catalog)
            });
            cases += found.iter().map(|group| group.dialects.len()).sum::<usize>();
            if is_update {
                block.groups = found;
            } else if found != block.groups {
                let (reason, statement) = (&block.reason, &block.statement);
                let written = shown(&block.groups);
                failures.push(format!("{name}: {reason}\n  {statement}\n  says\n{}  not\n{written}", shown(&found)));
            }
        }
        if is_update {
            std::fs::write(&file, spec.text()).unwrap();
        } else {
            assert_eq!(spec.text(), text, "{name} isn't written as `PERIPLUS_UPDATE=1` writes it");
        }
    }
    assert!(cases > 1_300, "only {cases} cases were found");
    assert!(failures.is_empty(), "{} statements:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_is_no_spec_is_refused() {
    let block = "--§ A reason.\nSELECT 1\n--> postgres\n-->   output: x = a.x\n";
    assert!(Spec::of(&format!("-- shows: outputs\n{block}"), &LISTS).is_ok());
    for (text, complaint) in [
        ("-- shows: outputs\n", "there is no statement"),
        (&format!("-- shows: nothing\n{block}"), "`nothing` is no list"),
        (&format!("-- show: outputs\n{block}"), "`show` is no key"),
        (&format!("SELECT 1\n{block}"), "is no `-- key: value`"),
        ("--§\nSELECT 1\n--> postgres\n", "without a reason"),
        ("--§ A reason.\n--> postgres\n", "there is no statement"),
        ("--§ A reason.\nSELECT 1\n", "no dialect is named"),
        ("--§ A reason.\nSELECT 1\n-->   output: x = a.x\n--> postgres\n", "before its dialects"),
        ("--§ A reason.\nSELECT 1\n--> postgres, oracle\n", "`oracle` is no dialect"),
        ("--§ A reason.\nSELECT 1\n--> postgres\n--> duckdb, postgres\n", "`postgres` is named twice"),
        ("--§ A reason.\nSELECT 1\n--> postgres\nSELECT 2\n", "stands behind what is read"),
    ] {
        let refused = Spec::of(text, &LISTS).err().unwrap_or_else(|| panic!("{text} is taken for a spec"));
        assert!(refused.contains(complaint), "{text}: {refused}");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs")
}

/// The specs, one folder for each part of what is read.
fn files() -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries(&folder()).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.sort();
    files
}
