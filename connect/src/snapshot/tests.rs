//! Snapshot files, good and bad, read through the public trait.

use catalog::{Dialect, TypeClass};
use tempfile::TempDir;

use crate::statements_alone::StatementsAlone as _;
use crate::{ConnectError, Connector, Limits, connect};

const SALES: &str = r#"{
  "name": "sales", "dialect": "bigquery", "made_with": "an export",
  "tables": [
    {"schema": "p.d", "name": "orders", "comment": "One row an order",
     "columns": [
       {"name": "id", "type": "INTEGER", "samples": [1.0, NaN, 12.0]},
       {"name": "customer", "type": "STRING", "comment": "Who", "samples": ["NaN \" NaN", null]},
       {"name": "lines", "type": "ARRAY<STRUCT<sku STRING>>", "samples": [[{"sku": "a"}]]},
       {"name": "paid", "type": "BOOL", "samples": [true]},
       {"name": "amount", "type": "FLOAT64", "samples": [7.0, -Infinity]}
     ],
     "primary_key": ["ID"],
     "foreign_keys": [{"columns": ["customer"], "ref_table": "customers", "ref_columns": ["name"]},
                      {"columns": ["customer"], "ref_table": "nowhere", "ref_columns": ["name"]}]},
    {"schema": "p.d", "name": "customers", "columns": [{"name": "name", "type": "STRING"}]}
  ]
}"#;

fn open(content: &str) -> Result<Box<dyn Connector>, ConnectError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("schema.json");
    std::fs::write(&path, content).unwrap();
    connect("s", &format!("snapshot:{}", path.display()))
}

#[tokio::test]
async fn a_snapshot_gives_its_schema_and_its_samples() {
    let connector = open(SALES).unwrap();
    assert_eq!(connector.source().dialect, Dialect::Other("bigquery".into()));
    let tables = connector.introspect().await.unwrap();
    let [customers, orders] = &tables[..] else { panic!("{tables:?}") };
    assert_eq!(orders.id.to_string(), "s.p.d.orders");
    assert_eq!(orders.comment.as_deref(), Some("One row an order"));
    assert_eq!(orders.primary_key, ["id"]);
    assert_eq!(orders.columns[0].type_class, TypeClass::Integer);
    assert_eq!(orders.foreign_keys.len(), 1);
    assert_eq!(orders.foreign_keys[0].ref_table, customers.id);
    let samples = connector.provided_samples(orders).await.unwrap().unwrap();
    let shown: Vec<String> =
        samples.iter().map(|(column, values)| format!("{column}: {}", values.join(", "))).collect();
    assert_eq!(shown, ["id: 1, 12", "customer: NaN \" NaN", r#"lines: [{"sku":"a"}]"#, "paid: true", "amount: 7.0"]);
}

#[tokio::test]
async fn nothing_can_be_run_on_a_snapshot() {
    let connector = open(SALES).unwrap();
    assert!(!connector.capabilities().executes);
    let error = connector.run_query("SELECT 1", &Limits::default()).await.unwrap_err();
    assert_eq!(error.code(), "nothing_to_run");
    assert_eq!(connector.prepare_query("SELECT 1").await.unwrap_err().code(), "nothing_to_run");
}

#[tokio::test]
async fn a_bad_snapshot_is_reported_with_the_place() {
    for (content, expected) in [
        ("", "EOF"),
        ("{\"tables\": [}", "line 1"),
        ("{\"dialect\": \"sqlite\"}", "missing field `tables`"),
        ("{\"tables\": [{\"name\": \"t\"}]}", "missing field `columns`"),
        (
            "{\"tables\": [{\"name\": \"t\", \"columns\": []}, {\"name\": \"t\", \"columns\": []}]}",
            "`t` is there twice",
        ),
    ] {
        let error = open(content).unwrap_err();
        assert_eq!(error.code(), "snapshot_unreadable", "{content}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(connect("s", "snapshot:/nowhere/schema.json").unwrap_err().code(), "missing_file");
}

#[tokio::test]
async fn what_is_written_is_read_as_it_was() {
    let tables = open(SALES).unwrap().introspect().await.unwrap();
    let catalog = testkit::catalog_from_tables(Dialect::Postgres, "s", tables.clone());
    let written = crate::snapshot(&catalog, "s", crate::SnapshotValues::Include);
    let again = open(&written.to_string()).unwrap();
    assert_eq!(again.introspect().await.unwrap(), tables);
    assert_eq!(again.source().dialect, Dialect::Postgres);
    assert_eq!(again.provided_samples(&tables[1]).await.unwrap().unwrap()[0], ("id".to_owned(), Vec::new()));
}
