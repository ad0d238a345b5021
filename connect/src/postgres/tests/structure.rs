//! What introspection says of every kind of table, column, key and index.

use catalog::{Exactness, KeyOrigin, TableKind, TypeClass};

use super::with_database;
use crate::LookupColumn;
use crate::promises::{self, TestDatabase as _, table};

const SHOP: &str = "
CREATE TYPE order_status AS ENUM ('new', 'paid', 'it''s sent');
CREATE DOMAIN email AS text NOT NULL DEFAULT 'nobody@example.com';
CREATE DOMAIN work_email AS email;
CREATE DOMAIN final_status AS order_status;
CREATE TABLE customers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    serial_number serial,
    mail work_email,
    country varchar(2) CHECK (country IN ('DE', 'IN', 'US')),
    joined timestamptz NOT NULL DEFAULT now(),
    balance numeric(12, 2),
    twice numeric GENERATED ALWAYS AS (balance * 2) STORED,
    dropped int
);
ALTER TABLE customers DROP COLUMN dropped;
COMMENT ON TABLE customers IS 'Who buys';
COMMENT ON COLUMN customers.mail IS 'Where to write';
CREATE UNIQUE INDEX customers_mail ON customers (lower(mail::text));
CREATE INDEX customers_country ON customers (country, joined DESC) INCLUDE (balance);
CREATE UNIQUE INDEX customers_some ON customers (balance) WHERE balance > 0;
CREATE INDEX customers_hash ON customers USING hash (country);
CREATE SCHEMA sales;
CREATE TABLE sales.orders (
    customer_id bigint REFERENCES customers,
    number int,
    status order_status DEFAULT 'new',
    ended final_status,
    flags bit(3),
    tags text[],
    document jsonb,
    reference uuid,
    PRIMARY KEY (customer_id, number)
) PARTITION BY RANGE (number);
CREATE TABLE sales.orders_1 PARTITION OF sales.orders FOR VALUES FROM (0) TO (100);
CREATE TABLE sales.orders_2 PARTITION OF sales.orders FOR VALUES FROM (100) TO (200);
CREATE TABLE sales.lines (
    id int UNIQUE,
    customer_id bigint,
    order_number int,
    FOREIGN KEY (customer_id, order_number) REFERENCES sales.orders (customer_id, number)
);
CREATE VIEW big_customers AS SELECT id, balance FROM customers WHERE balance > 100;
CREATE MATERIALIZED VIEW per_country AS SELECT country, count(*) AS customers FROM customers GROUP BY country;
CREATE FOREIGN DATA WRAPPER elsewhere;
CREATE SERVER other FOREIGN DATA WRAPPER elsewhere;
CREATE FOREIGN TABLE remote (a int) SERVER other;
INSERT INTO customers (mail, country, balance) SELECT n || '@example.com', 'DE', n FROM generate_series(1, 500) AS n;
INSERT INTO sales.orders SELECT 1, n FROM generate_series(0, 199) AS n;
ANALYZE customers;
ANALYZE sales.orders_1;
ANALYZE sales.orders_2;
";

#[tokio::test]
async fn introspection_tells_everything_there_is() {
    with_database("structure", SHOP, |made| async move {
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        assert_eq!(connector.work().statements, 7, "{:?}", connector.work());
        let listed: Vec<(String, TableKind)> =
            tables.iter().map(|table| (table.id.local(), table.kind.clone())).collect();
        let expected = [
            ("public.big_customers", TableKind::View),
            ("public.customers", TableKind::Table),
            ("public.per_country", TableKind::MaterializedView),
            ("public.remote", TableKind::ForeignTable),
            ("sales.lines", TableKind::Table),
            ("sales.orders", TableKind::Table),
        ];
        assert_eq!(listed, expected.map(|(name, kind)| (name.to_owned(), kind)));
        let customers = &tables[1];
        assert_eq!(customers.comment.as_deref(), Some("Who buys"));
        assert_eq!(customers.primary_key, ["id"]);
        let columns: Vec<(&str, &str, TypeClass, bool)> = customers
            .columns
            .iter()
            .map(|column| (column.name.as_str(), column.data_type.as_str(), column.type_class, column.nullable))
            .collect();
        assert_eq!(
            columns,
            [
                ("id", "bigint", TypeClass::Integer, false),
                ("serial_number", "integer", TypeClass::Integer, false),
                ("mail", "work_email", TypeClass::Text, false),
                ("country", "character varying(2)", TypeClass::Text, true),
                ("joined", "timestamp with time zone", TypeClass::Timestamp, false),
                ("balance", "numeric(12,2)", TypeClass::Real, true),
                ("twice", "numeric", TypeClass::Real, true),
            ]
        );
        let default = |name: &str| customers.column(name).unwrap().default.clone();
        assert_eq!(default("id").as_deref(), Some("GENERATED ALWAYS AS IDENTITY"));
        assert_eq!(default("serial_number").as_deref(), Some("nextval('customers_serial_number_seq'::regclass)"));
        assert_eq!(default("joined").as_deref(), Some("now()"));
        assert_eq!(default("twice").as_deref(), Some("GENERATED ALWAYS AS ((balance * (2)::numeric)) STORED"));
        assert_eq!(customers.column("mail").unwrap().comment.as_deref(), Some("Where to write"));
        assert_eq!(customers.column("country").unwrap().enum_values, ["DE", "IN", "US"]);
        let indexes: Vec<(&str, Vec<&str>, bool)> = customers
            .indexes
            .iter()
            .map(|index| (index.name.as_str(), index.columns.iter().map(String::as_str).collect(), index.unique))
            .collect();
        assert_eq!(
            indexes,
            [
                ("customers_country", vec!["country", "joined"], false),
                ("customers_hash", vec!["country"], false),
                ("customers_mail", vec!["lower(mail::text)"], true),
                ("customers_some", vec!["balance"], false),
            ]
        );
        assert_eq!(customers.row_count.unwrap().value, 500);
        let lookup = |name: &str, unique| LookupColumn { name: name.to_owned(), unique };
        assert_eq!(connector.lookup_columns(customers).await.unwrap(), [lookup("id", true), lookup("country", false)]);
        let orders = &tables[5];
        assert_eq!(orders.primary_key, ["customer_id", "number"]);
        assert_eq!(orders.column("status").unwrap().enum_values, ["new", "paid", "it's sent"]);
        assert_eq!(orders.column("ended").unwrap().enum_values, ["new", "paid", "it's sent"]);
        assert_eq!(orders.column("ended").unwrap().type_class, TypeClass::Text);
        assert_eq!(orders.column("flags").unwrap().type_class, TypeClass::Other);
        assert_eq!(orders.column("document").unwrap().type_class, TypeClass::Json);
        assert_eq!(orders.column("reference").unwrap().type_class, TypeClass::Uuid);
        assert_eq!(orders.row_count.unwrap().value, 200);
        assert_eq!(orders.foreign_keys[0].ref_table.local(), "public.customers");
        assert_eq!(orders.foreign_keys.len(), 1);
        let lines = &tables[4];
        assert_eq!(lines.foreign_keys.len(), 1, "{:?}", lines.foreign_keys);
        assert_eq!(lines.foreign_keys[0].columns, ["customer_id", "order_number"]);
        assert_eq!(lines.foreign_keys[0].ref_columns, ["customer_id", "number"]);
        assert_eq!(lines.foreign_keys[0].origin, KeyOrigin::Declared);
        assert!(lines.row_count.is_none(), "never analysed: {:?}", lines.row_count);
        assert!(tables[0].definition.as_ref().unwrap().contains("balance > (100)::numeric"), "{:?}", tables[0]);
        assert!(!tables[0].definition.as_ref().unwrap().ends_with(';'));
        let count = connector.row_count(orders).await.unwrap().unwrap();
        assert_eq!((count.value, count.exactness), (200, Exactness::Exact));
        assert_eq!(connector.introspect().await.unwrap(), tables);
    })
    .await;
}

#[tokio::test]
async fn any_name_can_be_a_schema_a_table_or_a_column() {
    let long = "é".repeat(31) + "x";
    let sql = format!(
        "CREATE SCHEMA \"My \"\"Schema\"\".x\";
         CREATE TABLE \"My \"\"Schema\"\".x\".\"select\"
             (\"a \"\"b\"\"\" int PRIMARY KEY, \"🦀 Größe\" text, \"order\" text, \"x'y\" text);
         INSERT INTO \"My \"\"Schema\"\".x\".\"select\" VALUES (1, 'groß', 'o', 'q');
         CREATE TABLE \"Orders\" (\"ID\" int UNIQUE, id text); INSERT INTO \"Orders\" VALUES (7, 'upper');
         CREATE TABLE orders (\"ID\" int UNIQUE, id text, other int REFERENCES \"Orders\" (\"ID\"));
         INSERT INTO orders VALUES (8, 'lower');
         CREATE TABLE \"a; DROP TABLE orders; --\" (\"{long}\" int PRIMARY KEY);
         INSERT INTO \"a; DROP TABLE orders; --\" VALUES (9);
         CREATE TABLE \"{long}\" (\"тест\" text, \"$1\" int UNIQUE); INSERT INTO \"{long}\" VALUES ('x', 10);"
    );
    with_database("names", &sql, |made| async move {
        let connector = made.connector();
        let tables = promises::any_name_can_be_a_table_or_a_column(&*connector).await;
        assert_eq!(tables.len(), 5);
        let lower = tables.iter().find(|table| table.id.name == "orders").unwrap();
        assert_eq!(lower.foreign_keys[0].ref_table.name, "Orders");
        assert_eq!(lower.foreign_keys[0].ref_columns, ["ID"]);
    })
    .await;
}

#[tokio::test]
async fn an_empty_database_has_no_tables() {
    with_database("empty", "", |made| async move {
        assert_eq!(made.connector().introspect().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn statements_do_not_grow_with_the_number_of_tables() {
    let sql: String = (0..300).map(|n| format!("CREATE TABLE t{n} (id int PRIMARY KEY, a text, b int);")).collect();
    with_database("many", &sql, |made| async move {
        promises::statements_do_not_grow_with_the_number_of_tables(&*made.connector(), 7).await;
    })
    .await;
}

#[tokio::test]
async fn a_table_that_is_gone_fails_alone() {
    with_database("gone", "CREATE TABLE t (a int); CREATE TABLE kept (a int);", |made| async move {
        let connector = made.connector();
        let dropped = table(&*connector, "t").await;
        let kept = table(&*connector, "kept").await;
        made.client().await.batch_execute("DROP TABLE t").await.unwrap();
        let fresh = made.connector();
        promises::a_table_that_is_gone_fails_alone(&*connector, &*fresh, &dropped, &kept).await;
    })
    .await;
}

#[tokio::test]
async fn functions_of_extensions_are_told_by_what_they_say_of_themselves() {
    let sql = "
CREATE EXTENSION pg_trgm; CREATE EXTENSION dblink; CREATE SCHEMA other; CREATE EXTENSION unaccent SCHEMA other;
CREATE FUNCTION own(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION upper(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION other.lower(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
CREATE FUNCTION other.show_trgm(a int) RETURNS int LANGUAGE sql AS 'SELECT a';
";
    with_database("functions", sql, |made| async move {
        let added = made.connector().added_functions().await.unwrap();
        let has = |name: &str| added.not_volatile.iter().any(|it| it == name);
        assert!(has("public.similarity") && has("public.word_similarity") && has("other.unaccent"), "{added:?}");
        // What somebody wrote says of itself what they like, and another of the same name may be meant.
        assert!(!has("public.own") && !has("public.show_trgm") && !has("other.show_trgm"));
        assert!(!has("public.dblink") && !has("public.dblink_exec") && !has("public.gtrgm_in"));
        // Of what is called by its bare name, all that somebody wrote may do anything.
        let is_unsure = |name: &str| added.unsure.iter().any(|it| it == name);
        assert!(is_unsure("public.upper") && is_unsure("public.own") && is_unsure("public.dblink"), "{added:?}");
        assert!(!is_unsure("other.lower") && !is_unsure("public.similarity"), "{added:?}");
    })
    .await;
}

#[tokio::test]
async fn what_values_and_rows_are_made_from_is_told() {
    let sql = "
        CREATE TABLE people (id int, email text, mail_start text GENERATED ALWAYS AS (substr(email, 1, 10)) STORED);
        CREATE TABLE staff (desk int) INHERITS (people);
        CREATE TABLE events (id int, what text) PARTITION BY RANGE (id);
        CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM (0) TO (10);
        CREATE VIEW first_events AS SELECT what FROM events_1;
        CREATE VIEW both_of AS SELECT email FROM people UNION ALL SELECT what FROM first_events;
        CREATE MATERIALIZED VIEW kept AS SELECT * FROM both_of;
    ";
    with_database("made_from", sql, |made| async move {
        let connector = made.connector();
        for (name, expected) in [
            ("people", &["staff"][..]),
            ("staff", &[]),
            ("events", &[]),
            ("first_events", &["events"]),
            ("both_of", &["first_events", "people"]),
            ("kept", &["both_of"]),
        ] {
            let read: Vec<String> = table(&*connector, name).await.reads_from.into_iter().map(|id| id.name).collect();
            assert_eq!(read, expected, "{name}");
        }
        let people = table(&*connector, "people").await;
        let generated: Vec<Option<&str>> = people.columns.iter().map(|column| column.generated.as_deref()).collect();
        assert_eq!(generated, [None, None, Some("substr(email, 1, 10)")]);
    })
    .await;
}

#[tokio::test]
async fn the_structures_mark_is_another_one_once_it_is() {
    let sql = "CREATE TABLE t (a int PRIMARY KEY, b text); CREATE TYPE mood AS ENUM ('sad')";
    with_database("mark", sql, |made| async move {
        let statements = [
            "ALTER TABLE t ADD COLUMN c int",
            "ALTER TABLE t RENAME COLUMN b TO d",
            "ALTER TABLE t RENAME TO u",
            "COMMENT ON COLUMN u.c IS 'a number'",
            "CREATE INDEX ON u (c)",
            "CREATE VIEW v AS SELECT a FROM u",
            "CREATE OR REPLACE VIEW v AS SELECT a FROM u WHERE c > 0",
            "ALTER TYPE mood ADD VALUE 'glad'",
            "CREATE POLICY own ON u USING (a > 0)",
            "DROP VIEW v",
            "INSERT INTO u VALUES (1, 'x', 2)",
        ];
        let write = |sql: String| {
            let made = made.clone();
            async move { made.client().await.batch_execute(&sql).await.unwrap() }
        };
        promises::the_structures_mark_is_another_one_once_it_is(&*made.connector(), &statements, write).await;
    })
    .await;
}
