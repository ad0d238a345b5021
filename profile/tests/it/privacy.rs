//! What is sensitive is not read; what turns out to be is not kept.

use std::sync::Arc;

use catalog::{KnownValues, Store};
use profile::Options;

use crate::watched::{Made, catalog_of, column, entry, options, run, store, store_with};

const PEOPLE: &str = "
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, work_email TEXT UNIQUE, contact TEXT, salary INTEGER, tel TEXT);
    INSERT INTO people VALUES (1, 'Ann', 'secret-ann@example.com', 'secret-a@example.com', 424242, '+1 555 010 9999'),
                              (2, 'Bob', 'secret-bob@example.com', 'secret-b@example.com', 434343, NULL);
    CREATE TABLE logins (id INTEGER PRIMARY KEY, people_work_email TEXT);
    INSERT INTO logins VALUES (1, 'secret-ann@example.com');";

#[tokio::test]
async fn a_sensitive_column_is_in_no_statement_and_no_value_of_it_in_the_catalog() {
    let made = Made::with(PEOPLE);
    let mut options = options();
    options.sensitive.person_names = privacy::Check::Off;
    options.sensitive.mask.push("people.salary".into());
    options.sensitive.keep.push("people.tel".into());
    let (connector, store) = (made.watched(), store_with(&options));
    run(&connector, &store, &options).await;
    let sampled = connector.sampled.lock().unwrap().clone();
    assert!(sampled.contains(&"people.name".to_owned()));
    for never in ["people.work_email", "people.salary", "logins.people_work_email"] {
        assert!(!sampled.contains(&never.to_owned()), "{never} was read");
    }
    let catalog = store.catalog().unwrap();
    let stored = format!("{:?}", catalog.entries());
    for secret in ["secret-", "424242", "434343"] {
        assert!(!stored.contains(secret), "{secret} is in the catalog");
    }
    for (name, reason) in [
        ("work_email", Some("name matches `email`")),
        ("salary", Some("configuration masks `people.salary`")),
        ("contact", Some("values look like e-mail addresses")),
        ("tel", None),
        ("name", None),
    ] {
        assert_eq!(column(&catalog, "people", name).masked_because(), reason, "{name}");
    }
    let contact = column(&catalog, "people", "contact");
    assert_eq!((&contact.values, contact.min.as_ref(), contact.most_common.len()), (&KnownValues::Unknown, None, 0));
    let rows = &entry(&catalog, "people").profile().unwrap().sample_rows;
    let shown = |row: usize| rows[row].iter().map(|cell| cell.as_deref().unwrap_or("-")).collect::<Vec<_>>();
    assert_eq!(shown(0), ["1", "Ann", "-", "-", "-", "+1 555 010 9999"]);
}

#[tokio::test]
async fn a_column_that_is_declared_sensitive_later_is_profiled_again_without_it() {
    let made = Made::with(PEOPLE);
    let path = made.path.with_file_name("catalog.db");
    let opened = |options: &Options| Store::open(&path, Arc::new(options.sensitive.clone())).unwrap();
    let mut options = options();
    options.sensitive.keep.push("people.salary".into());
    run(&made.watched(), &opened(&options), &options).await;
    assert!(format!("{:?}", opened(&options).catalog().unwrap().entries()).contains("424242"));
    options.sensitive.mask.push("*.salary".into());
    let store = opened(&options);
    let shown = format!("{:?}", store.catalog().unwrap().entries());
    assert!(!shown.contains("424242"), "what is masked now is not shown, though it is still stored");
    let (summary, _) = run(&made.watched(), &store, &options).await;
    assert_eq!((summary.profiled, summary.unchanged), (1, 1));
    assert!(!format!("{:?}", store.catalog().unwrap().entries()).contains("424242"));
    let (summary, _) = run(&made.watched(), &store, &options).await;
    assert_eq!((summary.profiled, summary.unchanged), (0, 2));
}

#[tokio::test]
async fn secrets_in_remarks_and_settings_are_dropped_one_by_one() {
    let made = Made::with(
        "CREATE TABLE settings (k TEXT PRIMARY KEY, v TEXT);
         INSERT INTO settings VALUES ('host', 'mail.example'), ('key', 'sk-live-5d1c0a99f7b24e6d8a'), ('vat', '19');
         CREATE TABLE inventory (id INTEGER PRIMARY KEY, remark TEXT);
         INSERT INTO inventory VALUES (1, 'good'), (2, 'too late'), (3, 'Call me: jan@secret.example'), (4, 'fine'),
                                   (5, 'card 4111 1111 1111 1111'), (6, 'bad'), (7, 'good');",
    );
    let catalog = catalog_of(&made, &options()).await;
    let stored = format!("{:?}", catalog.entries());
    for secret in ["sk-live", "jan@", "4111"] {
        assert!(!stored.contains(secret), "{secret} is in the catalog");
    }
    let remark = column(&catalog, "inventory", "remark");
    assert_eq!((&remark.masked, remark.distinct_count), (&None, Some(6)));
    assert!(
        matches!(&remark.values, KnownValues::Some(values) if values.contains(&"too late".to_owned())),
        "{remark:?}"
    );
    assert!(column(&catalog, "settings", "v").values.as_slice().contains(&"mail.example".to_owned()));
}

#[tokio::test]
async fn names_in_other_languages_are_in_no_statement() {
    let made = Made::with(
        "CREATE TABLE chauffeur (nr INTEGER PRIMARY KEY, voornaam TEXT, geboortedatum TEXT, rijbewijs_nr TEXT, token TEXT);
         INSERT INTO chauffeur VALUES (1, 'Jan', '1980-01-01', '4711', 'abc');",
    );
    let connector = made.watched();
    run(&connector, &store(), &options()).await;
    let mut sampled = connector.sampled.lock().unwrap().clone();
    sampled.sort();
    sampled.dedup();
    assert_eq!(sampled, ["chauffeur.nr"]);
}

#[tokio::test]
async fn a_view_does_not_show_under_another_name_what_its_table_hides() {
    let made = Made::with(&format!(
        "{PEOPLE} CREATE VIEW pay AS SELECT id, name AS who, salary * 2 AS twice FROM people;
         CREATE VIEW again AS SELECT who, twice AS amount FROM pay;"
    ));
    let lineage = |_: &catalog::Source, tables: &[catalog::Table]| {
        let id = |name: &str| tables.iter().find(|table| table.id.name == name).unwrap().id.clone();
        let derived = |view, column: &str, table, origin: &str| catalog::MadeColumn {
            table: id(view),
            column: column.to_owned(),
            origins: Some(vec![(id(table), origin.to_owned())]),
            is_computed: false,
        };
        vec![
            derived("pay", "who", "people", "name"),
            derived("pay", "twice", "people", "salary"),
            derived("again", "amount", "pay", "twice"),
        ]
    };
    let connector = made.watched();
    let mut options = profile::Options { lineage: Some(lineage), ..options() };
    options.sensitive.person_names = privacy::Check::Off;
    options.sensitive.mask.push("people.salary".into());
    let store = store_with(&options);
    run(&connector, &store, &options).await;
    let sampled = connector.sampled.lock().unwrap().clone();
    assert!(sampled.contains(&"pay.who".to_owned()));
    assert!(!sampled.iter().any(|name| ["pay.twice", "again.amount"].contains(&name.as_str())), "{sampled:?}");
    let catalog = store.catalog().unwrap();
    assert_eq!(
        column(&catalog, "again", "amount").masked_because(),
        Some("made from `people.salary`, configuration masks `people.salary`")
    );
    let (summary, _) = run(&connector, &store, &options).await;
    assert_eq!((summary.profiled, summary.unchanged), (0, summary.tables));
    options.sensitive.keep.push("again.amount".into());
    let store = store_with(&options);
    run(&connector, &store, &options).await;
    let catalog = store.catalog().unwrap();
    assert_eq!(column(&catalog, "again", "amount").masked, None);
}
