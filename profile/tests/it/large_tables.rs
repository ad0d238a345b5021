//! A table of 200,000 rows with gaps: what is read of it, and how near the figures come.

use std::sync::atomic::Ordering;

use catalog::{Exactness, KnownValues, RowCount, SampleMethod};
use connect::{ColumnStatistics, Engine, TableStatistics, Value};

use crate::watched::{Made, Watched, column, entry, options, run, store};

/// 200,000 rows; two thirds of the keys between 1 and 300,000 are there. `status` depends on the age of the row, so that
/// first and last rows alone would mislead.
const GAPS: &str = "
    CREATE TABLE big (id INTEGER PRIMARY KEY, code TEXT, status TEXT, amount REAL, note TEXT, updated_at TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
    INSERT INTO big
    SELECT i, 'user_' || i,
           CASE WHEN i < 100000 THEN 'old' WHEN i < 250000 THEN 'middle' ELSE 'new' END,
           (i % 1000) / 10.0, CASE WHEN i % 4 = 0 THEN 'x' || (i % 5000) END,
           datetime(1500000000 + i * 900, 'unixepoch')
    FROM n WHERE i % 3 <> 0;";

async fn profiled(made: &Made) -> (Watched, catalog::Catalog) {
    let (connector, store) = (made.watched(), store());
    run(&connector, &store, &options()).await;
    (connector, store.catalog().unwrap())
}

#[tokio::test]
async fn random_keys_give_a_fair_sample_and_no_scan() {
    let made = Made::with(GAPS);
    let (connector, catalog) = profiled(&made).await;
    let big = entry(&catalog, "big");
    let profile = big.profile().unwrap();
    assert_eq!(profile.method, SampleMethod::RandomByKey { column: "id".into() });
    assert!((9_500..=10_000).contains(&profile.rows_seen), "{}", profile.rows_seen);
    let count = big.table.row_count.unwrap();
    assert_eq!(count.exactness, Exactness::Estimate);
    assert!((185_000..=215_000).contains(&count.value), "{count:?}");

    // The sample, the probe, and the edges that tell the last update.
    let sampled = connector.rows.load(Ordering::Relaxed);
    assert!(sampled <= 10_000 * 12 / 10 + 200 + 1_000, "{sampled} rows sampled");
    let work = connector.work();
    assert!(work.rows_returned <= 16_000, "{work:?}");
    // The count stops after 10,001 rows; nothing else passes over rows.
    assert!(work.rows_scanned <= 12_500, "{work:?}");

    let status = column(&catalog, "big", "status");
    for (value, share) in [("middle", 0.5), ("old", 1.0 / 3.0), ("new", 1.0 / 6.0)] {
        let found = status.most_common.iter().find(|common| common.value == value).unwrap();
        assert!((found.fraction - share).abs() < 0.03, "{value}: {found:?}");
    }
    assert!((column(&catalog, "big", "note").null_fraction.unwrap() - 0.75).abs() < 0.03);
    let amounts = column(&catalog, "big", "amount").distinct_count.unwrap();
    assert!((900..=1100).contains(&amounts), "{amounts} of 1000 different amounts");
    assert_eq!(column(&catalog, "big", "code").pattern.as_ref().unwrap().form.as_str(), "user_{int}");
    assert!(column(&catalog, "big", "code").distinct_ratio.unwrap() > 0.95);
    // The last row is 300,000 * 15 minutes after the first.
    assert!(
        big.table.last_update.as_ref().unwrap().at.to_string().starts_with("2026-02-0"),
        "{:?}",
        big.table.last_update
    );
    assert!((3..=5).contains(&profile.sample_rows.len()));
}

#[tokio::test]
async fn an_engine_that_draws_rows_itself_is_left_to_do_so_where_no_key_leads_to_them() {
    let made = Made::with(GAPS);
    made.change(
        "CREATE TABLE hashed (k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID;
         INSERT INTO hashed SELECT hex(id), id FROM big;
         CREATE VIEW seen AS SELECT * FROM hashed;",
    );
    let mut connector = made.watched();
    connector.draws = true;
    let store = store();
    run(&connector, &store, &options()).await;
    let catalog = store.catalog().unwrap();
    let by_key = SampleMethod::RandomByKey { column: "id".into() };
    let expected = [("big", by_key), ("hashed", SampleMethod::EngineSample), ("seen", SampleMethod::FirstRows)];
    for (table, method) in expected {
        assert_eq!(entry(&catalog, table).profile().unwrap().method, method, "{table}");
    }
}

#[tokio::test]
async fn the_same_rows_are_drawn_in_every_run() {
    let made = Made::with(GAPS);
    let (_, first) = profiled(&made).await;
    let (_, second) = profiled(&made).await;
    assert_eq!(first.entries(), second.entries());
}

#[tokio::test]
async fn numbered_texts_lead_to_rows_where_there_is_no_number() {
    for (form, width) in [("'user_' || i", "natural"), ("printf('user_%06d', i)", "filled")] {
        let made = Made::with(&format!(
            "CREATE TABLE big (code TEXT PRIMARY KEY, half TEXT) WITHOUT ROWID;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
             INSERT INTO big SELECT {form}, CASE WHEN i <= 30000 THEN 'first' ELSE 'second' END FROM n;"
        ));
        let (connector, catalog) = profiled(&made).await;
        let profile = entry(&catalog, "big").profile().unwrap();
        assert_eq!(profile.method, SampleMethod::RandomByKey { column: "code".into() }, "{width}");
        assert!(profile.rows_seen >= 9_000, "{width}: {}", profile.rows_seen);
        assert!(connector.work().rows_scanned <= 12_000, "{width}: {:?}", connector.work());
        for common in &column(&catalog, "big", "half").most_common {
            assert!((common.fraction - 0.5).abs() < 0.05, "{width}: {common:?}");
        }
    }
}

#[tokio::test]
async fn without_an_incremental_key_the_ends_are_read_and_the_profile_says_so() {
    let made = Made::with(
        "CREATE TABLE sparse (id INTEGER PRIMARY KEY, end TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
         INSERT INTO sparse SELECT i * 1000000007, CASE WHEN i <= 15000 THEN 'first' ELSE 'last' END FROM n;
         CREATE TABLE hashed (k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID;
         INSERT INTO hashed SELECT hex(id), id FROM sparse;
         CREATE VIEW everything AS SELECT * FROM sparse;",
    );
    let (connector, catalog) = profiled(&made).await;
    for (table, method) in [
        ("sparse", SampleMethod::FirstAndLast),
        ("hashed", SampleMethod::FirstAndLast),
        ("everything", SampleMethod::FirstRows),
    ] {
        let profile = entry(&catalog, table).profile().unwrap();
        assert_eq!((&profile.method, profile.rows_seen), (&method, 10_000), "{table}");
        assert_eq!(profile.row_count, None, "{table}: nothing tells how many");
    }
    assert_eq!(column(&catalog, "sparse", "end").most_common.len(), 2, "both ends are there");
    assert!(connector.work().rows_scanned <= 65_000, "{:?}", connector.work());
}

#[tokio::test]
async fn a_small_table_is_read_whole_and_its_figures_are_exact() {
    let made = Made::with(
        "CREATE TABLE small (a INTEGER, b TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO small SELECT i % 100, NULL FROM n;",
    );
    let (_, catalog) = profiled(&made).await;
    let profile = entry(&catalog, "small").profile().unwrap();
    assert_eq!((&profile.method, profile.rows_seen), (&SampleMethod::AllRows, 10_000));
    let a = column(&catalog, "small", "a");
    assert_eq!((a.distinct_count, a.min.as_deref(), a.max.as_deref()), (Some(100), Some("0"), Some("99")));
    assert_eq!(column(&catalog, "small", "b").null_fraction, Some(1.0));
}

#[tokio::test]
async fn what_the_engine_knows_takes_the_place_of_most_rows() {
    let made = Made::with(
        "CREATE TABLE big (id INTEGER, state TEXT, email TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO big SELECT i, CASE WHEN i % 4 = 0 THEN NULL ELSE 'open' END, 'a' || i || '@example.org' FROM n;",
    );
    let text = |value: &str| Value::Text(value.to_owned());
    let known = |column: &str, null_fraction, distinct, common: &[(Value, f64)], bounds: &[Value]| ColumnStatistics {
        column: column.to_owned(),
        null_fraction,
        distinct_count: Some(distinct),
        most_common: common.to_vec(),
        bounds: bounds.to_vec(),
    };
    let told = TableStatistics {
        is_outdated: false,
        row_count: RowCount { value: 20_000, exactness: Exactness::Estimate },
        rows_seen: 20_000,
        columns: vec![
            known("id", 0.0, 20_000, &[], &[Value::Integer(1), Value::Integer(10_000), Value::Integer(20_000)]),
            known("state", 0.25, 3, &[(text("open"), 0.5), (text("paid"), 0.2)], &[]),
        ],
    };
    let mut watched = made.watched();
    watched.told = Some(told.clone());
    let store = store();
    run(&watched, &store, &options()).await;
    let catalog = store.catalog().unwrap();
    let profile = entry(&catalog, "big").profile().unwrap();
    assert_eq!((&profile.method, profile.rows_seen), (&SampleMethod::EngineStatistics, 20_000));
    let rows = watched.rows.load(Ordering::Relaxed);
    assert!(rows <= 2_300, "{rows} rows: to show and to look for facts in, and for keys");
    let id = column(&catalog, "big", "id");
    assert_eq!((id.min.as_deref(), id.max.as_deref(), id.distinct_count), (Some("1"), Some("20000"), Some(20_000)));
    let state = column(&catalog, "big", "state");
    assert_eq!((state.null_fraction, state.distinct_count), (Some(0.25), Some(3)));
    assert_eq!((state.most_common[0].value.as_str(), state.most_common[0].fraction), ("open", 0.5));
    assert!(matches!(&state.values, KnownValues::Some(_)), "the third value isn't known");
    assert_eq!(column(&catalog, "big", "email").distinct_count, None, "masked by its name, so it was not asked for");
    // Of a column that the engine knows nothing of, only rows can tell.
    let partly = TableStatistics { columns: told.columns[..1].to_vec(), ..told };
    let mut watched = made.watched();
    watched.told = Some(partly);
    let store = crate::watched::store();
    run(&watched, &store, &options()).await;
    let catalog = store.catalog().unwrap();
    let profile = entry(&catalog, "big").profile().unwrap();
    assert_ne!(profile.method, SampleMethod::EngineStatistics);
}

/// What was written since the engine looked, too little for it to look again, may have to be masked.
#[tokio::test]
async fn values_that_outdated_statistics_do_not_know_are_masked() {
    let made = Made::with(
        "CREATE TABLE calls (id INTEGER PRIMARY KEY, ref TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO calls SELECT i, CASE WHEN i % 11 = 0 THEN 'anna.k' || i || '@gmail.com' END FROM n;",
    );
    let told = |column: &str, null_fraction| ColumnStatistics {
        column: column.to_owned(),
        null_fraction,
        distinct_count: Some(1),
        most_common: Vec::new(),
        bounds: Vec::new(),
    };
    let mut watched = made.watched();
    watched.told = Some(TableStatistics {
        is_outdated: true,
        row_count: RowCount { value: 20_000, exactness: Exactness::Estimate },
        rows_seen: 20_000,
        columns: vec![told("id", 0.0), told("ref", 1.0)],
    });
    let store = store();
    run(&watched, &store, &options()).await;
    let catalog = store.catalog().unwrap();
    assert_eq!(entry(&catalog, "calls").profile().unwrap().method, SampleMethod::EngineStatistics);
    assert!(column(&catalog, "calls", "ref").masked.is_some());
}
