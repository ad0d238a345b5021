//! Tables, columns, keys and indexes as introspection tells them.

use catalog::{Exactness, RowCount, TableKind, TypeClass};

use super::Made;
use crate::promises::{run, table};

#[tokio::test]
async fn structure_is_read_as_declared() {
    let Some(made) = Made::named(
        "shop.duckdb",
        "CREATE SCHEMA sales; CREATE SCHEMA \"o s\"; CREATE TYPE mood AS ENUM ('sad, x', 'o''k');
         CREATE TYPE money2 AS DECIMAL(10,2);
         CREATE TABLE sales.pair (a INTEGER, b INTEGER, c INTEGER UNIQUE, PRIMARY KEY (b, a));
         CREATE TABLE sales.t (
             id INTEGER PRIMARY KEY, pa INTEGER NOT NULL, pb INTEGER, amount money2 DEFAULT 1.5, m mood, moods mood[],
             status VARCHAR CHECK (status IN ('open', 'it''s')), n INTEGER CHECK (n > 1), \"my \"\"col\" VARCHAR,
             twice INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL, s STRUCT(d DATE), own INTEGER REFERENCES sales.t (id),
             FOREIGN KEY (pb, pa) REFERENCES sales.pair (b, a)
         );
         CREATE INDEX t_amount ON sales.t (amount, (lower(status)), \"my \"\"col\");
         CREATE UNIQUE INDEX t_n ON sales.t (n);
         COMMENT ON TABLE sales.t IS 'what is sold'; COMMENT ON COLUMN sales.t.id IS 'its number';
         CREATE TABLE gone (a INTEGER); CREATE VIEW broken AS SELECT * FROM gone; DROP TABLE gone;
         CREATE VIEW \"o s\".\"v AS x\" (a, \"b AS c\") AS SELECT id, status FROM sales.t WHERE status = ' AS ';
         COMMENT ON VIEW \"o s\".\"v AS x\" IS 'a view';
         CREATE TABLE main.t AS SELECT i AS a FROM range(5) AS r (i); CREATE TEMP TABLE hidden (a INTEGER);",
    ) else {
        return;
    };
    let connector = made.connector();
    let tables = connector.introspect().await.unwrap();
    let names: Vec<String> = tables.iter().map(|table| table.id.local()).collect();
    assert_eq!(names, ["main.broken", "main.t", "o s.v AS x", "sales.pair", "sales.t"]);
    let [broken, main_t, view, pair, t] = &tables[..] else { panic!() };
    assert_eq!(main_t.row_count, Some(RowCount { value: 5, exactness: Exactness::Estimate }));
    assert_eq!(pair.primary_key, ["b", "a"]);
    assert_eq!((view.kind.clone(), view.comment.as_deref()), (TableKind::View, Some("a view")));
    assert_eq!(view.definition.as_deref(), Some("SELECT id, status FROM sales.t WHERE (status = ' AS ')"));
    assert_eq!(view.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["a", "b AS c"]);
    assert_eq!(broken.kind, TableKind::View);
    assert_eq!(connector.row_count(broken).await.unwrap_err().code(), "statement_failed");

    let keys: Vec<String> = t
        .foreign_keys
        .iter()
        .map(|key| format!("{}->{}({})", key.columns.join(","), key.ref_table.local(), key.ref_columns.join(",")))
        .collect();
    assert_eq!(keys, ["own->sales.t(id)", "pb,pa->sales.pair(b,a)"]);
    let column = |name: &str| t.column(name).unwrap();
    assert_eq!(column("status").enum_values, ["open", "it's"]);
    assert_eq!(column("m").enum_values, ["sad, x", "o'k"]);
    assert_eq!((column("m").type_class, column("moods").type_class), (TypeClass::Text, TypeClass::Other));
    assert_eq!((column("amount").data_type.as_str(), column("amount").type_class), ("DECIMAL(10,2)", TypeClass::Real));
    assert_eq!(column("amount").default.as_deref(), Some("1.5"));
    assert!(column("twice").default.as_deref().unwrap().starts_with("GENERATED ALWAYS AS ("));
    assert_eq!(column("id").comment.as_deref(), Some("its number"));
    assert_eq!(t.comment.as_deref(), Some("what is sold"));
    assert!(!column("id").nullable && !column("pa").nullable && column("pb").nullable);
    let indexes: Vec<String> = tables
        .iter()
        .flat_map(|table| &table.indexes)
        .map(|index| {
            format!("{}({}){}", index.name, index.columns.join("; "), if index.unique { " unique" } else { "" })
        })
        .collect();
    assert_eq!(indexes, ["pair_c_key(c) unique", "t_amount(amount; (lower(status)); my \"col)", "t_n(n) unique"]);
    assert_eq!(connector.introspect().await.unwrap(), tables, "the same in every run");
}

#[tokio::test]
async fn a_schema_may_have_the_name_of_the_file() {
    let Some(made) = Made::named("sales.duckdb", "CREATE SCHEMA sales; CREATE TABLE sales.sales.t AS SELECT 7 AS a")
    else {
        return;
    };
    let connector = made.connector();
    let t = table(&*connector, "t").await;
    assert_eq!(connector.row_count(&t).await.unwrap().unwrap().value, 1);
    assert_eq!(run(&*connector, "SELECT a FROM sales.sales.t").await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn an_empty_database_has_no_tables() {
    let Some(made) = Made::with("CREATE TABLE t (a INTEGER); DROP TABLE t; CHECKPOINT") else { return };
    assert_eq!(made.connector().introspect().await.unwrap(), []);
}
