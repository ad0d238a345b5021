//! The fixture's catalog as a file, for the fuzz target: it checks statements without a database.

use std::path::Path;

use catalog::Dialect;

use crate::fixture::Fixture;

#[test]
fn the_fuzz_target_checks_against_the_same_catalog() {
    let catalog = Fixture::new().catalog(&Dialect::Sqlite);
    let entries: Vec<_> = catalog.tables_of("spec").map(|entry| (&entry.table, entry.profile())).collect();
    let text = serde_json::to_string_pretty(&entries).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/catalog.json");
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "fuzz/catalog.json is out of date: run the tests with PERIPLUS_UPDATE=1");
}
