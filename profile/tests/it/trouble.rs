//! Tables that can't be read, are empty, odd or old.

use catalog::{KnownValues, SampleMethod, ValueForm};
use profile::{Options, Outcome};

use crate::watched::{Made, catalog_of, column, entry, options, run, store};

#[tokio::test]
async fn a_view_that_the_database_refuses_is_left_out_with_its_reason() {
    let made = Made::with(
        "CREATE TABLE a (x); INSERT INTO a VALUES (1);
         CREATE TABLE gone (x); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone;
         CREATE TABLE z (x);",
    );
    let store = store();
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.tables, summary.profiled, summary.skipped, summary.failed.len()), (3, 2, 1, 0));
    let [(id, reason)] = &summary.unreadable[..] else { panic!("{summary:?}") };
    assert_eq!(id.name, "broken");
    assert!(reason.contains("gone"), "{reason}");
    let catalog = store.catalog().unwrap();
    // What is stored, and shown to others, has nothing of the engine's words, which can quote values.
    let stored = entry(&catalog, "broken").profile().unwrap().skipped.clone().unwrap();
    assert!(stored.contains("`periplus index`") && !stored.contains("gone"), "{stored}");
    // The next run looks again, and finds nothing new.
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.unchanged, summary.skipped), (2, 1));
    assert_eq!(store.catalog().unwrap().entries(), catalog.entries());
    made.change("CREATE TABLE gone (x); INSERT INTO gone VALUES (5);");
    let (summary, _) = run(&made.watched(), &store, &options()).await;
    assert_eq!((summary.skipped, summary.failed.len()), (0, 0));
    assert_eq!(column(&store.catalog().unwrap(), "broken", "x").min.as_deref(), Some("5"));
}

#[tokio::test]
async fn a_damaged_table_is_reported_and_the_others_go_on() {
    let made = Made::with(
        "CREATE TABLE good (x); INSERT INTO good VALUES (1);
         CREATE TABLE bad (x TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO bad SELECT printf('value %d', i) FROM n;",
    );
    let mut bytes = std::fs::read(&made.path).unwrap();
    // The first page holds the schema, the second table `good`, the third the root of `bad`.
    bytes[8192..].fill(0xEE);
    std::fs::write(&made.path, bytes).unwrap();
    let (summary, _) = run(&made.watched(), &store(), &options()).await;
    assert_eq!(summary.profiled, 1);
    assert_eq!((summary.failed[0].0.name.as_str(), summary.failed[0].1), ("bad", "database_corrupt"));
}

#[tokio::test]
async fn an_empty_database_and_an_empty_table_are_no_trouble() {
    let made = Made::with("CREATE TABLE t (a TEXT, b INTEGER)");
    let catalog = catalog_of(&made, &options()).await;
    let profile = entry(&catalog, "t").profile().unwrap();
    assert_eq!((&profile.method, profile.rows_seen), (&SampleMethod::AllRows, 0));
    assert_eq!(profile.columns[0].distinct_count, Some(0));
    assert_eq!(profile.columns[0].null_fraction, None);
    made.change("DROP TABLE t");
    assert_eq!(catalog_of(&made, &options()).await.entries(), []);
}

#[tokio::test]
async fn odd_names_and_huge_cells_are_profiled_like_others() {
    let made = Made::with(
        "CREATE TABLE \"my \"\"table\"\" 🦀\" (\"select\" INTEGER PRIMARY KEY, \"a b\" TEXT, \"🦀\" BLOB, payload JSON);
         INSERT INTO \"my \"\"table\"\" 🦀\" VALUES
             (1, replace(hex(zeroblob(10000000)), '0', 'x'), zeroblob(3000000), '{\"k\": [1, 2]}'),
             (2, 'short', x'00', '{\"k\": []}'), (3, CAST(x'ff' AS TEXT), NULL, '{}');",
    );
    let catalog = catalog_of(&made, &options()).await;
    let table = &catalog.entries()[0];
    let profile = table.profile().unwrap();
    assert_eq!(profile.rows_seen, 3);
    let text = profile.column("a b").unwrap();
    assert!(text.average_length.unwrap() > 6_000_000.0);
    assert!(matches!(&text.values, KnownValues::Some(values) if values.contains(&"short".to_owned())), "{text:?}");
    assert_eq!(profile.column("🦀").unwrap().average_length, Some(1_500_000.5));
    assert_eq!(profile.column("payload").unwrap().pattern.as_ref().unwrap().form, ValueForm::Json);
}

#[tokio::test]
async fn texts_that_are_cut_are_measured() {
    let made = Made::with(
        "CREATE TABLE pages (id INTEGER PRIMARY KEY, body TEXT);
         INSERT INTO pages VALUES (1, replace(hex(zeroblob(10000)), '0', 'x')), (2, replace(hex(zeroblob(20000)), '0', 'x'));",
    );
    let catalog = catalog_of(&made, &options()).await;
    let profile = catalog.entries()[0].profile().unwrap();
    let body = profile.column("body").unwrap();
    assert_eq!((body.average_length, body.longest), (Some(30_000.0), Some(40_000)));
}

#[tokio::test]
async fn stale_tables_are_marked_and_left_out_on_request() {
    let made = Made::with(
        "CREATE TABLE old (id INTEGER PRIMARY KEY, updated_at TEXT, v TEXT);
         INSERT INTO old VALUES (1, '2023-05-01 10:00:00', 'value of old'), (2, '2024-05-01 10:00:00', 'x');
         CREATE TABLE live (id INTEGER PRIMARY KEY, updated_at TEXT, born DATE);
         INSERT INTO live VALUES (1, '2026-05-01 10:00:00', '1950-01-01'), (2, '9999-12-31 00:00:00', '1960-01-01');
         CREATE TABLE timeless (id INTEGER PRIMARY KEY, born DATE); INSERT INTO timeless VALUES (1, '1950-01-01');",
    );
    let store = store();
    let mut options = options();
    let (summary, _) = run(&made.watched(), &store, &options).await;
    assert_eq!((summary.profiled, summary.skipped), (3, 0));
    let catalog = store.catalog().unwrap();
    let stale = |table: &str| entry(&catalog, table).profile().unwrap().stale;
    assert_eq!((stale("old"), stale("live"), stale("timeless")), (true, false, false));
    let update = entry(&catalog, "old").table.last_update.clone().unwrap();
    assert_eq!(
        (update.at.to_string().as_str(), update.evidence.to_string().as_str()),
        ("2024-05-01T10:00:00Z", "column updated_at")
    );

    options.skip_stale = true;
    let connector = made.watched();
    let (summary, progress) = run(&connector, &store, &options).await;
    assert_eq!((summary.unchanged, summary.skipped), (2, 1));
    assert!(format!("{progress:?}").contains(&format!("{:?}", Outcome::Skipped("stale tables are left out".into()))));
    assert!(!connector.sampled.lock().unwrap().contains(&"old.v".to_owned()));
    let catalog = store.catalog().unwrap();
    let profile = entry(&catalog, "old").profile().unwrap();
    assert_eq!((profile.stale, &profile.method), (true, &SampleMethod::Nothing));
    let (summary, _) = run(&made.watched(), &store, &options).await;
    assert_eq!(summary.unchanged, 3, "a table that was left out is not looked at again");

    options.skip_stale = false;
    let (summary, _) = run(&made.watched(), &store, &options).await;
    assert_eq!((summary.unchanged, summary.profiled), (2, 1));
}

#[tokio::test]
async fn what_goes_on_being_referred_to_is_not_stale() {
    let made = Made::with(
        "CREATE TABLE meters (id INTEGER PRIMARY KEY, mounted DATE);
         INSERT INTO meters VALUES (1, '2011-05-01'), (2, '2014-05-01'), (3, '2019-01-01');
         CREATE TABLE readings (id INTEGER PRIMARY KEY, meter_id INTEGER REFERENCES meters (id), read_on DATE);
         INSERT INTO readings VALUES (1, 1, '2026-04-01'), (2, 2, '2026-05-01'), (3, 3, '2026-05-02');
         CREATE TABLE routes (id INTEGER PRIMARY KEY, updated_at TEXT); INSERT INTO routes VALUES (1, '2019-01-01 10:00:00');
         CREATE TABLE stops (id INTEGER PRIMARY KEY, route_id INTEGER REFERENCES routes (id), made_on DATE);
         INSERT INTO stops VALUES (1, 1, '2026-05-03');
         CREATE TABLE lanes (id INTEGER PRIMARY KEY, updated_at TEXT); INSERT INTO lanes VALUES (1, '2019-01-01 10:00:00');",
    );
    let catalog = catalog_of(&made, &options()).await;
    let stale = |table: &str| entry(&catalog, table).profile().unwrap().stale;
    assert!(!stale("meters") && !stale("readings") && !stale("routes"));
    assert!(stale("lanes"));
}

#[tokio::test]
async fn an_abandoned_copy_is_stale_whatever_its_dates_are_called() {
    let old_and_live = |name: &str, date_type: &str| {
        format!(
            "CREATE TABLE {name}_bak (id INTEGER PRIMARY KEY, {name} {date_type}, v TEXT);
             INSERT INTO {name}_bak VALUES (1, '2023-03-01', 'a'), (2, '2023-04-01', 'b'), (3, '2023-03-30', 'c');
             CREATE TABLE {name}_live (id INTEGER PRIMARY KEY, {name} {date_type}, v TEXT);
             INSERT INTO {name}_live VALUES (1, '2023-03-01', 'a'), (2, '2026-04-01', 'b'), (3, '2026-05-01', 'c');"
        )
    };
    let names =
        ["created", "crt_dt", "order_date", "datum", "ts", "booking_date", "angelegt_am", "event_ts", "zahltermin"];
    for name in names {
        let made = Made::with(&old_and_live(name, "TEXT"));
        let store = store();
        run(&made.watched(), &store, &options()).await;
        let catalog = store.catalog().unwrap();
        let stale = |table: &str| entry(&catalog, table).profile().unwrap().stale;
        let found = (stale(&format!("{name}_bak")), stale(&format!("{name}_live")));
        assert_eq!(found, (true, false), "{name}");
        let (summary, _) = run(&made.watched(), &store, &options()).await;
        assert_eq!(summary.unchanged, 2, "{name}");
        let mut skipping = options();
        skipping.skip_stale = true;
        let (summary, _) = run(&made.watched(), &store, &skipping).await;
        assert_eq!((summary.skipped, summary.unchanged), (1, 1), "{name}");
    }
    // In an archive no table is behind the others; and birthdays and ends of validity say nothing anywhere.
    let made = Made::with(
        "CREATE TABLE races (id INTEGER PRIMARY KEY, datum TEXT); INSERT INTO races VALUES (1, '1998-05-01');
         CREATE TABLE people (id INTEGER PRIMARY KEY, born DATE); INSERT INTO people VALUES (1, '1950-01-01');
         CREATE TABLE rates (id INTEGER PRIMARY KEY, gueltig_bis TEXT); INSERT INTO rates VALUES (1, '2020-12-31');",
    );
    let catalog = catalog_of(&made, &options()).await;
    assert!(catalog.entries().iter().all(|entry| !entry.profile().unwrap().stale));
    let at_rest = Made::with(
        "CREATE TABLE loans (id INTEGER PRIMARY KEY, updated_at TEXT); INSERT INTO loans VALUES (1, '2019-05-01');
         CREATE TABLE books (id INTEGER PRIMARY KEY, updated_at TEXT); INSERT INTO books VALUES (1, '2018-05-01');",
    );
    assert!(catalog_of(&at_rest, &options()).await.entries().iter().all(|entry| !entry.profile().unwrap().stale));
    assert!(entry(&catalog, "races").table.last_update.is_some());
    assert!(entry(&catalog, "rates").table.last_update.is_none());
}

#[tokio::test]
async fn a_write_that_the_engine_saw_since_the_last_run_outweighs_old_dates() {
    let made = Made::with(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, created_at TEXT, tier TEXT);
         INSERT INTO customers VALUES (1, '2020-04-14', 'a'), (2, '2020-04-13', 'b');
         CREATE TABLE orders (id INTEGER PRIMARY KEY, created_at TEXT); INSERT INTO orders VALUES (1, '2026-05-01');",
    );
    let store = store();
    let stale = || entry(&store.catalog().unwrap(), "customers").profile().unwrap().stale;
    let mut watched = made.watched();
    // The time of a restore: the dates tell more.
    watched.written_at = Some("2026-05-01T00:00:00Z".parse().unwrap());
    run(&watched, &store, &options()).await;
    assert!(stale());
    made.change("UPDATE customers SET tier = 'c' WHERE id = 1");
    watched.written_at = Some("2026-06-02T00:00:00Z".parse().unwrap());
    let later = Options { now: "2026-06-03T00:00:00Z".parse().unwrap(), full: true, ..options() };
    run(&watched, &store, &later).await;
    assert!(!stale(), "somebody writes to it");
    let full = Options { now: "2026-06-04T00:00:00Z".parse().unwrap(), ..later };
    run(&watched, &store, &full).await;
    assert!(!stale(), "what was seen once is remembered");
}
