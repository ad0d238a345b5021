//! What introspection says of every kind of table, column, key and index.

use catalog::{Exactness, KeyOrigin, LastUpdate, TableKind, TypeClass};
use mysql_async::prelude::Queryable;

use super::{is_mariadb, with_database};
use crate::LookupColumn;
use crate::promises::{self, TestDatabase as _, table};

const SHOP: &str = "
CREATE TABLE customers (
    id bigint unsigned PRIMARY KEY AUTO_INCREMENT,
    mail varchar(100) NOT NULL DEFAULT 'no''body' COMMENT 'Where to write ✉',
    country char(2) CHECK (country IN ('DE', 'IN', 'US')),
    joined timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
    balance decimal(12, 2) DEFAULT 0,
    twice decimal(13, 2) AS (balance * 2) STORED,
    `line` linestring,
    UNIQUE KEY customers_mail (mail),
    KEY customers_country (country, joined),
    KEY customers_start (mail(5)),
    FULLTEXT KEY customers_words (mail)
) COMMENT = 'Who buys';
CREATE TABLE orders (
    customer_id bigint unsigned NOT NULL,
    number int NOT NULL,
    status enum('new', 'paid', 'it''s sent') DEFAULT 'new',
    choices set('x', 'y'),
    flags bit(3),
    document json,
    PRIMARY KEY (customer_id, number),
    CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE TABLE order_lines (
    id int UNIQUE,
    customer_id bigint unsigned,
    order_number int,
    CONSTRAINT to_order FOREIGN KEY (customer_id, order_number) REFERENCES orders (customer_id, number)
);
CREATE TABLE parts (a int PRIMARY KEY) PARTITION BY HASH (a) PARTITIONS 3;
CREATE VIEW big_customers AS SELECT id, balance FROM customers WHERE balance > 100;
INSERT INTO customers (mail, country, balance) VALUES ('a', 'DE', 1), ('b', 'IN', 2);
INSERT INTO orders (customer_id, number) VALUES (1, 1), (1, 2), (2, 1)";

#[tokio::test]
async fn introspection_tells_everything_there_is() {
    with_database("structure", SHOP, |made| async move {
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        assert_eq!(connector.work().statements, 6, "{:?}", connector.work());
        let listed: Vec<(String, TableKind)> =
            tables.iter().map(|table| (table.id.local(), table.kind.clone())).collect();
        let expected = [
            ("big_customers", TableKind::View),
            ("customers", TableKind::Table),
            ("order_lines", TableKind::Table),
            ("orders", TableKind::Table),
            ("parts", TableKind::Table),
        ];
        assert_eq!(listed, expected.map(|(name, kind)| (name.to_owned(), kind)));
        let customers = &tables[1];
        assert_eq!(customers.comment.as_deref(), Some("Who buys"));
        assert_eq!(customers.primary_key, ["id"]);
        let columns: Vec<(&str, TypeClass, bool)> =
            customers.columns.iter().map(|column| (column.name.as_str(), column.type_class, column.nullable)).collect();
        assert_eq!(
            columns,
            [
                ("id", TypeClass::Integer, false),
                ("mail", TypeClass::Text, false),
                ("country", TypeClass::Text, true),
                ("joined", TypeClass::Timestamp, false),
                ("balance", TypeClass::Real, true),
                ("twice", TypeClass::Real, true),
                ("line", TypeClass::Other, true),
            ]
        );
        assert_eq!(customers.column("balance").unwrap().data_type, "decimal(12,2)");
        let default = |name: &str| customers.column(name).unwrap().default.clone();
        assert_eq!(default("id").as_deref(), Some("AUTO_INCREMENT"));
        assert!(["'no\\'body'", "'no''body'"].contains(&default("mail").unwrap().as_str()), "{:?}", default("mail"));
        assert_eq!(default("country"), None);
        assert!(default("joined").unwrap().to_lowercase().starts_with("current_timestamp"));
        assert!(default("twice").unwrap().starts_with("GENERATED ALWAYS AS ("), "{:?}", default("twice"));
        assert!(default("twice").unwrap().ends_with(") STORED"));
        assert_eq!(customers.column("mail").unwrap().comment.as_deref(), Some("Where to write ✉"));
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
                ("customers_mail", vec!["mail"], true),
                ("customers_start", vec!["mail"], false),
                ("customers_words", vec!["mail"], false),
            ]
        );
        let lookup = |name: &str, unique| LookupColumn { name: name.to_owned(), unique };
        let expected = [lookup("id", true), lookup("mail", true), lookup("country", false)];
        assert_eq!(connector.lookup_columns(customers).await.unwrap(), expected);
        let orders = &tables[3];
        assert_eq!(orders.primary_key, ["customer_id", "number"]);
        assert_eq!(orders.column("status").unwrap().enum_values, ["new", "paid", "it's sent"]);
        assert_eq!(orders.column("choices").unwrap().enum_values, [] as [&str; 0]);
        assert_eq!(orders.column("choices").unwrap().data_type, "set('x','y')");
        assert_eq!(orders.column("flags").unwrap().type_class, TypeClass::Integer);
        assert_eq!(orders.column("document").unwrap().type_class, TypeClass::Json);
        assert_eq!(orders.foreign_keys.len(), 1);
        assert_eq!(orders.foreign_keys[0].ref_table.local(), "customers");
        let lines = &tables[2];
        assert_eq!(lines.foreign_keys.len(), 1, "{:?}", lines.foreign_keys);
        assert_eq!(lines.foreign_keys[0].columns, ["customer_id", "order_number"]);
        assert_eq!(lines.foreign_keys[0].ref_columns, ["customer_id", "number"]);
        assert_eq!(lines.foreign_keys[0].origin, KeyOrigin::Declared);
        assert!(tables[0].definition.as_ref().unwrap().contains("> 100"), "{:?}", tables[0]);
        assert_eq!((&tables[0].comment, tables[0].columns.len()), (&None, 2));
        assert!(orders.last_update.as_ref().is_some_and(LastUpdate::is_of_engine));
        let count = connector.row_count(orders).await.unwrap().unwrap();
        assert_eq!((count.value, count.exactness), (3, Exactness::Exact));
        assert_eq!(connector.introspect().await.unwrap(), tables);
    })
    .await;
}

#[tokio::test]
async fn what_only_mariadb_has_is_listed_or_left_out() {
    with_database("versions", "CREATE TABLE plain (a int)", |made| async move {
        if !is_mariadb(&made).await {
            return;
        }
        let sql = "CREATE SEQUENCE s; CREATE TABLE kept (a int, KEY hidden (a) IGNORED) WITH SYSTEM VERSIONING;
                   INSERT INTO kept VALUES (1); DELETE FROM kept";
        made.client().await.query_drop(sql).await.unwrap();
        let connector = made.connector();
        let tables = connector.introspect().await.unwrap();
        let names: Vec<&str> = tables.iter().map(|table| table.id.name.as_str()).collect();
        assert_eq!(names, ["kept", "plain"]);
        assert_eq!(connector.lookup_columns(&tables[0]).await.unwrap(), []);
        // What was deleted is history.
        assert_eq!(connector.row_count(&tables[0]).await.unwrap().unwrap().value, 0);
    })
    .await;
}

#[tokio::test]
async fn any_name_can_be_a_table_or_a_column() {
    let long = "é".repeat(63) + "x";
    let sql = format!(
        "CREATE TABLE `select` (`a ``b``` int PRIMARY KEY, `Größe` text, `order` text, `x'y\"` text, `:name` int);
         INSERT INTO `select` VALUES (1, 'groß', 'o', 'q', 2);
         CREATE TABLE `orders one` (`ID` int UNIQUE, other int, FOREIGN KEY (other) REFERENCES `select` (`a ``b```));
         INSERT INTO `orders one` VALUES (7, 1);
         CREATE TABLE `a; DROP TABLE x; --` (`{long}` int PRIMARY KEY, `what?` int);
         INSERT INTO `a; DROP TABLE x; --` VALUES (9, 9);
         CREATE TABLE `{long}` (`тест` text, `$1` int UNIQUE, `漢字` int);
         INSERT INTO `{long}` VALUES ('x', 10, 1)"
    );
    with_database("names", &sql, |made| async move {
        let connector = made.connector();
        let tables = promises::any_name_can_be_a_table_or_a_column(&*connector).await;
        assert_eq!(tables.len(), 4);
        let keyed = tables.iter().find(|table| table.id.name == "orders one").unwrap();
        assert_eq!(keyed.foreign_keys[0].ref_columns, ["a `b`"]);
    })
    .await;
}

#[tokio::test]
async fn names_that_differ_in_case_are_told_apart_where_the_server_does() {
    with_database("cases", "CREATE TABLE Mixed (a int); INSERT INTO Mixed VALUES (1)", |made| async move {
        let mut client = made.client().await;
        let rule: u8 = client.query_first("SELECT @@lower_case_table_names").await.unwrap().unwrap();
        let connector = made.connector();
        if rule == 0 {
            client.query_drop("CREATE TABLE mixed (b int)").await.unwrap();
            // A database whose name differs only in case is another one.
            let other = made.name.to_uppercase();
            client
                .query_drop(format!("CREATE DATABASE {other}; CREATE TABLE {other}.elsewhere (a int)"))
                .await
                .unwrap();
            let tables = connector.introspect().await;
            client.query_drop(format!("DROP DATABASE {other}")).await.unwrap();
            let names: Vec<String> = tables.unwrap().into_iter().map(|table| table.id.name).collect();
            assert_eq!(names, ["Mixed", "mixed"]);
            let upper = table(&*connector, "Mixed").await;
            assert_eq!(upper.columns[0].name, "a");
            assert_eq!(connector.row_count(&upper).await.unwrap().unwrap().value, 1);
        } else {
            let tables = connector.introspect().await.unwrap();
            assert!(tables[0].id.name.eq_ignore_ascii_case("mixed"));
            assert_eq!(connector.row_count(&tables[0]).await.unwrap().unwrap().value, 1);
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_into_another_database_is_left_out() {
    with_database("outside", "CREATE TABLE here (id int PRIMARY KEY)", |made| async move {
        let (name, mut client) = (&made.name, made.client().await);
        let sql = format!(
            "CREATE DATABASE {name}_2; CREATE TABLE {name}_2.here (id int PRIMARY KEY);
             CREATE TABLE t (a int, b int, FOREIGN KEY (a) REFERENCES {name}_2.here (id),
                 FOREIGN KEY (b) REFERENCES here (id))"
        );
        client.query_drop(sql).await.unwrap();
        let t = table(&*made.connector(), "t").await;
        client.query_drop(format!("DROP TABLE t; DROP DATABASE {name}_2")).await.unwrap();
        assert_eq!(t.foreign_keys.len(), 1, "{:?}", t.foreign_keys);
        assert_eq!(t.foreign_keys[0].columns, ["b"]);
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
    let sql: Vec<String> = (0..60).map(|n| format!("CREATE TABLE t{n} (id int PRIMARY KEY, a text, b int)")).collect();
    with_database("many", &sql.join(";"), |made| async move {
        promises::statements_do_not_grow_with_the_number_of_tables(&*made.connector(), 6).await;
    })
    .await;
}

#[tokio::test]
async fn a_table_or_view_that_is_broken_fails_alone() {
    let sql = "CREATE TABLE t (a int); CREATE TABLE kept (a int); CREATE VIEW v AS SELECT a FROM t";
    with_database("gone", sql, |made| async move {
        let connector = made.connector();
        let dropped = table(&*connector, "t").await;
        let kept = table(&*connector, "kept").await;
        made.client().await.query_drop("DROP TABLE t").await.unwrap();
        let fresh = made.connector();
        promises::a_table_that_is_gone_fails_alone(&*connector, &*fresh, &dropped, &kept).await;
        let view = table(&*fresh, "v").await;
        assert_eq!((&view.comment, view.kind.name()), (&None, "view"));
        assert_eq!(fresh.row_count(&view).await.unwrap_err().code(), "statement_failed");
    })
    .await;
}

#[tokio::test]
async fn what_values_and_rows_are_made_from_is_told() {
    let sql = "
        CREATE TABLE one (id INT, email VARCHAR(50), mail_start VARCHAR(10) AS (SUBSTR(email, 1, 10)) PERSISTENT);
        CREATE TABLE `a``b` (id INT) ENGINE = MyISAM;
        CREATE TABLE other (id INT) ENGINE = MyISAM;
        CREATE TABLE all_of_them (id INT) ENGINE = MERGE UNION = (`a``b`, other)
    ";
    with_database("made_from", sql, |made| async move {
        if !is_mariadb(&made).await {
            return;
        }
        let connector = made.connector();
        let one = table(&*connector, "one").await;
        assert_eq!(one.columns[1].generated, None);
        assert!(one.columns[2].generated.as_ref().unwrap().contains("`email`"), "{:?}", one.columns[2]);
        let read: Vec<String> =
            table(&*connector, "all_of_them").await.reads_from.into_iter().map(|id| id.name).collect();
        assert_eq!(read, ["a`b", "other"]);
        assert!(one.reads_from.is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_structures_mark_is_another_one_once_it_is() {
    with_database("mark", "CREATE TABLE t (a int PRIMARY KEY, b text)", |made| async move {
        let statements = [
            "ALTER TABLE t ADD COLUMN c int",
            "ALTER TABLE t CHANGE b d text",
            "RENAME TABLE t TO u",
            "ALTER TABLE u MODIFY c int COMMENT 'a number'",
            "CREATE INDEX by_c ON u (c)",
            "CREATE VIEW v AS SELECT a FROM u",
            "CREATE OR REPLACE VIEW v AS SELECT a FROM u WHERE c > 0",
            "DROP VIEW v",
            "INSERT INTO u VALUES (1, 'x', 2)",
        ];
        let write = |sql: String| {
            let made = made.clone();
            async move { made.client().await.query_drop(sql).await.unwrap() }
        };
        promises::the_structures_mark_is_another_one_once_it_is(&*made.connector(), &statements, write).await;
    })
    .await;
}
