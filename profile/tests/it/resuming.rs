//! Runs that are cut off, and runs after something changed.

use catalog::{Catalog, Overrides, Store, TableId};
use connect::Connector;
use profile::{Options, Outcome, Progress, profile_source};

use crate::watched::{Made, catalog_of, column, run, store};

/// Some tables are read whole and some are sampled.
fn options() -> Options {
    Options { rows: 200, all_rows_below: 200, ..crate::watched::options() }
}

fn many_tables() -> Made {
    let tables: String = (0..12)
        .map(|number| {
            format!(
                "CREATE TABLE thing{number} (id INTEGER PRIMARY KEY, owner_id INTEGER, kind TEXT);
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                 INSERT INTO thing{number} SELECT i * 2, i % 40 + 1, 'kind ' || (i % 7) FROM n;",
                rows = 50 + number * 60
            )
        })
        .collect();
    Made::with(&format!(
        "CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO owners SELECT i, 'owner ' || i FROM n; {tables}"
    ))
}

/// Runs until `stop_after` tables are reported, then drops the future; the tables that were profiled.
async fn cut_off(connector: &dyn Connector, store: &Store, options: &Options, stop_after: usize) -> Vec<TableId> {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mut report = move |event| {
        if let Progress::Table { id, outcome: Outcome::Profiled, .. } = event {
            sender.send(id).unwrap();
        }
    };
    let mut done = Vec::new();
    {
        let mut future = std::pin::pin!(profile_source(connector, store, options, &mut report));
        while done.len() < stop_after {
            tokio::select! {
                biased;
                id = receiver.recv() => done.extend(id),
                _ = &mut future => panic!("the run ended before it was stopped"),
            }
        }
    }
    while let Ok(id) = receiver.try_recv() {
        done.push(id);
    }
    done
}

fn assert_same(left: &Catalog, right: &Catalog) {
    assert_eq!(left.sources(), right.sources());
    assert_eq!(left.entries(), right.entries());
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_continued_and_ends_like_an_undisturbed_one() {
    let made = many_tables();
    let undisturbed = catalog_of(&made, &options()).await;
    assert!(undisturbed.entries().iter().flat_map(|entry| &entry.table.foreign_keys).count() >= 12);
    for stop_after in [1, 4, 9, 12] {
        let store = store();
        let done = cut_off(&made.watched(), &store, &options(), stop_after).await;
        assert!(done.len() >= stop_after && done.len() <= 13);
        assert_eq!(store.catalog().unwrap().sources()[0].indexed_at, None, "the run is not taken for a whole one");
        let (summary, progress) = run(&made.watched(), &store, &options()).await;
        assert_eq!((summary.unchanged, summary.profiled), (done.len(), 13 - done.len()));
        for event in progress {
            if let Progress::Table { id, outcome, .. } = event {
                let expected = if done.contains(&id) { Outcome::Unchanged } else { Outcome::Profiled };
                assert_eq!(outcome, expected, "{id}");
            }
        }
        assert_same(&store.catalog().unwrap(), &undisturbed);
    }
}

#[tokio::test]
async fn a_run_cut_off_before_the_keys_still_infers_them() {
    let made = many_tables();
    let store = store();
    cut_off(&made.watched(), &store, &options(), 13).await;
    run(&made.watched(), &store, &options()).await;
    assert_same(&store.catalog().unwrap(), &catalog_of(&made, &options()).await);
}

#[tokio::test]
async fn only_what_changed_is_done_again() {
    let made = many_tables();
    let store = store();
    run(&made.watched(), &store, &options()).await;
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.unchanged, summary.profiled), (13, 0));
    made.change(
        "DELETE FROM thing0 WHERE id > 80;
         DELETE FROM thing1 WHERE id = 20;
         DELETE FROM thing9 WHERE id <= 20;
         ALTER TABLE thing2 ADD COLUMN note TEXT;
         DROP TABLE thing3;
         CREATE TABLE fresh (id INTEGER PRIMARY KEY);",
    );
    let (summary, progress) = run(&made.watched(), &store, &options()).await;
    let mut again: Vec<String> = progress
        .into_iter()
        .filter_map(|event| match event {
            Progress::Table { id, outcome: Outcome::Profiled, .. } => Some(id.name),
            _ => None,
        })
        .collect();
    again.sort();
    let expected = ["fresh", "thing0", "thing1", "thing2"];
    assert_eq!(again, expected, "thing9, which is not read whole, lost less than a tenth");
    assert_eq!(summary.dropped, [TableId::new("s", "thing3")]);
    assert_eq!(store.catalog().unwrap().entries().len(), 13);
    assert_eq!(summary.keys_inferred, 11);
}

#[tokio::test]
async fn what_people_wrote_goes_along_with_a_column_that_is_renamed_for_certain() {
    let made = Made::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, qty INTEGER, flag INTEGER);
         INSERT INTO t VALUES (1, 5, 0), (2, 7, 0), (3, 9, 0), (4, NULL, 0);",
    );
    let store = store();
    run(&made.watched(), &store, &options()).await;
    let t = TableId::new("s", "t");
    let written = |column: &str, text: &str| (format!("columns.{column}.description"), text.to_owned());
    let texts = [written("qty", "Pieces."), written("flag", "Never used."), ("purpose".into(), "Ours.".into())];
    store.put_overrides(&t, &Overrides(texts.into())).unwrap();
    made.change("ALTER TABLE t RENAME COLUMN qty TO quantity");
    run(&made.watched(), &store, &options()).await;
    let overrides = || store.catalog().unwrap().entry(&t).unwrap().overrides.clone();
    let moved = [written("quantity", "Pieces."), written("flag", "Never used."), ("purpose".into(), "Ours.".into())];
    assert_eq!(overrides(), Overrides(moved.clone().into()));
    // Any column of zeros could be this one.
    made.change("ALTER TABLE t RENAME COLUMN flag TO other");
    run(&made.watched(), &store, &options()).await;
    assert_eq!(overrides(), Overrides(moved.clone().into()));
    // A doubtful neighbour takes nothing from one that is certain.
    made.change("ALTER TABLE t RENAME COLUMN quantity TO pieces; ALTER TABLE t RENAME COLUMN other TO last");
    run(&made.watched(), &store, &options()).await;
    let moved = [written("pieces", "Pieces."), written("flag", "Never used."), ("purpose".into(), "Ours.".into())];
    assert_eq!(overrides(), Overrides(moved.clone().into()));
    // Another column in the same place, with other values.
    made.change("ALTER TABLE t RENAME COLUMN pieces TO weight; UPDATE t SET weight = weight * 100");
    run(&made.watched(), &store, &options()).await;
    assert_eq!(overrides(), Overrides(moved.into()));
}

#[tokio::test]
async fn a_value_changed_in_place_is_noticed_in_a_small_table() {
    let made = Made::with("CREATE TABLE a (v TEXT); INSERT INTO a VALUES ('GB'); CREATE TABLE b (v TEXT);");
    let store = store();
    // Profiles are dated before the file was written, as in a run that was overtaken by a writer.
    run(&made.watched(), &store, &options()).await;
    made.change("UPDATE a SET v = 'UK'");
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.profiled, summary.unchanged), (1, 1));
    assert_eq!(column(&store.catalog().unwrap(), "a", "v").values.as_slice(), ["UK"]);
    // A file that nobody has written to since isn't read again.
    let later = Options { now: jiff::Timestamp::MAX - jiff::SignedDuration::from_hours(48), ..options() };
    run(&made.watched(), &store, &later).await;
    let connector = made.watched();
    let (summary, _) = run(&connector, &store, &later).await;
    assert_eq!((summary.unchanged, connector.rows.load(std::sync::atomic::Ordering::Relaxed)), (2, 0));
}

#[tokio::test]
async fn values_rewritten_in_place_in_a_large_table_are_masked() {
    let made = many_tables();
    let store = store();
    run(&made.watched(), &store, &options()).await;
    made.change(
        "UPDATE thing9 SET kind = 'mary.' || id || '@example.org';
         UPDATE thing10 SET kind = 'another kind';",
    );
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.profiled, summary.unchanged), (1, 12), "a kind is nothing to mask");
    let catalog = store.catalog().unwrap();
    assert!(column(&catalog, "thing9", "kind").masked.is_some());
    // What is masked by now is no reason to read the table again.
    made.change("UPDATE thing9 SET kind = 'mary.' || id || '@example.com'");
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.profiled, summary.unchanged), (0, 13));
}

#[tokio::test]
async fn a_full_run_profiles_everything_again_and_keeps_what_people_wrote() {
    let made = many_tables();
    let store = store();
    run(&made.watched(), &store, &options()).await;
    let mut source = store.catalog().unwrap().sources()[0].clone();
    source.description = Some("things and their owners".into());
    store.put_source(&source).unwrap();
    let before = store.catalog().unwrap();
    let (summary, _) = run(&made.watched(), &store, &Options { full: true, ..options() }).await;
    assert_eq!((summary.profiled, summary.unchanged), (13, 0));
    assert_same(&store.catalog().unwrap(), &before);
}

#[tokio::test]
async fn a_full_run_that_is_cut_off_leaves_what_tables_said_together() {
    let made = Made::with(
        "CREATE TABLE sales (id INTEGER PRIMARY KEY, sold_on DATE, price INTEGER);
         CREATE TABLE sales_archive (id INTEGER PRIMARY KEY, sold_on DATE, price INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
         INSERT INTO sales SELECT i + 200, date('2024-01-01', '+' || i || ' days'), i % 37 FROM n;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
         INSERT INTO sales_archive SELECT i, date('2023-12-31', '-' || i || ' days'), i % 41 FROM n;",
    );
    let store = store();
    let told = || {
        let catalog = store.catalog().unwrap();
        let facts = catalog.entries().iter().flat_map(|entry| entry.profile().unwrap().facts.clone());
        facts.filter(|fact| fact.is_across()).map(|fact| fact.key()).collect::<Vec<_>>()
    };
    run(&made.watched(), &store, &options()).await;
    let before = told();
    assert!(!before.is_empty());
    cut_off(&made.watched(), &store, &Options { full: true, ..options() }, 2).await;
    assert_eq!(told(), before);
}

#[tokio::test]
async fn what_the_catalog_alone_knows_about_a_source_is_kept() {
    let made = many_tables();
    let store = store();
    run(&made.watched(), &store, &options()).await;
    let mut source = store.catalog().unwrap().sources()[0].clone();
    assert_eq!(source.indexed_at, Some(options().now));
    source.description = Some("things and their owners".into());
    store.put_source(&source).unwrap();
    run(&made.watched(), &store, &options()).await;
    assert_eq!(store.catalog().unwrap().sources(), [source]);
}
