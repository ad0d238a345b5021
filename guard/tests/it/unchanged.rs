//! If a statement is accepted, the database is unchanged after it ran.

use std::path::Path;
use std::time::Duration;

use catalog::Dialect;
use connect::Limits;
use guard::{GuardError, Policy, SensitiveColumns};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::fixture::{Fixture, runtime};
use crate::specs::sqlite_statements;

/// A hash of every file in the database's folder, so that journals and new files count too.
fn hash(database: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(database.parent().unwrap())
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let digest = Sha256::digest(std::fs::read(&path).unwrap());
            let text = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (path.file_name().unwrap().to_string_lossy().into_owned(), text)
        })
        .collect();
    files.sort();
    files
}

fn permissive() -> Policy {
    let config = guard::PolicyConfig { sensitive_columns: SensitiveColumns::Allow, ..Default::default() };
    Policy::new(config).unwrap()
}

#[test]
fn accepted_statements_of_all_specs_run_and_leave_the_file_as_it_was() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
    let before = hash(&fixture.path);
    let runtime = runtime();
    let (mut ran, mut failed) = (0, Vec::new());
    for statement in sqlite_statements() {
        let outcome =
            runtime.block_on(guard::run(&statement, &catalog, fixture.connector.as_ref(), &permissive(), &limits));
        match outcome {
            Ok(_) => ran += 1,
            Err(GuardError::Refused(_)) => {}
            Err(error) => failed.push(format!("{statement}: {error:?}")),
        }
        assert_eq!(hash(&fixture.path), before, "{statement}");
    }
    assert!(ran > 100, "only {ran} statements ran");
    assert!(failed.is_empty(), "accepted, but the engine did not agree:\n{}", failed.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mixtures_of_statements_leave_the_file_as_it_was(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), 0usize..400, 0usize..400), 1..4)
    ) {
        thread_local! {
            static SHARED: (Fixture, Vec<String>) = (Fixture::new(), sqlite_statements());
        }
        SHARED.with(|(fixture, statements)| {
            let mut text = String::new();
            for (index, from, to) in &pieces {
                let statement: Vec<char> = index.get(statements).chars().take(400).collect();
                let (from, to) = ((*from).min(statement.len()), (*to).min(statement.len()));
                text.extend(&statement[from.min(to)..from.max(to)]);
            }
            let catalog = fixture.catalog(&Dialect::Sqlite);
            let limits = Limits { timeout: Duration::from_secs(2), ..Limits::default() };
            let before = hash(&fixture.path);
            let _ = runtime().block_on(guard::run(&text, &catalog, fixture.connector.as_ref(), &permissive(), &limits));
            assert_eq!(hash(&fixture.path), before, "{text}");
        });
    }
}
