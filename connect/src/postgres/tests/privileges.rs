//! Rights beyond reading, found whichever way a role has them, and the remedy, which leaves none.

use tokio_postgres::Client;

use super::{Made, with_database};
use crate::promises::{code, run};
use crate::{ExcessPrivilege, SampleRequest, Value, connect};

async fn excess(made: &Made, role: Option<&str>) -> Vec<ExcessPrivilege> {
    connect("s", &made.dsn(role)).unwrap().excess_privileges().await.unwrap()
}

/// The codes that are found for `role`, once `grants` have been run, which are then taken back by `undo`.
async fn check(made: &Made, admin: &Client, role: &str, grants: &str, undo: &str, expected: &[(&str, &str)]) {
    let (grants, undo) = (grants.replace("{role}", role), undo.replace("{role}", role));
    admin.batch_execute(&grants).await.unwrap_or_else(|error| panic!("{grants}: {error:?}"));
    let found = excess(made, Some(role)).await;
    admin.batch_execute(&undo).await.unwrap_or_else(|error| panic!("{undo}: {error:?}"));
    assert_eq!(found.iter().map(|right| right.code).collect::<Vec<_>>(), codes(expected), "{grants}: {found:?}");
    for (right, (_, words)) in found.iter().zip(expected) {
        assert!(right.what.starts_with(&format!("the role `{role}` ")), "{}", right.what);
        assert!(right.what.ends_with(&words.replace("{role}", role)), "{}", right.what);
    }
}

fn codes<'a>(expected: &[(&'a str, &str)]) -> Vec<&'a str> {
    expected.iter().map(|(code, _)| *code).collect()
}

const DATA: &str = r#"
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE TABLE orders (id serial PRIMARY KEY, total int);
CREATE TABLE parts (id int PRIMARY KEY);
CREATE VIEW totals AS SELECT total FROM orders;
CREATE SCHEMA "Odd one";
CREATE TABLE "Odd one"."T 1" (a int);
INSERT INTO "Odd one"."T 1" VALUES (1);
"#;

#[tokio::test]
async fn every_way_to_more_than_reading_is_found() {
    with_database("excess", DATA, |made| async move {
        let role = format!("periplus_app_{}", std::process::id());
        let boss = format!("periplus_boss_{}", std::process::id());
        let admin = made.client().await;
        let setup = format!(
            "CREATE ROLE {role} LOGIN NOINHERIT PASSWORD 'x'; CREATE ROLE {boss};
             GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"
        );
        admin.batch_execute(&setup).await.unwrap();
        assert_eq!(excess(&made, Some(&role)).await, []);
        for (grants, undo, expected) in [
            (
                "ALTER ROLE {role} CREATEDB CREATEROLE REPLICATION BYPASSRLS",
                "ALTER ROLE {role} NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS",
                &[
                    ("create", "may make databases"),
                    ("create_role", "may make and change roles"),
                    ("replication", "may replicate the whole server"),
                    ("bypass_row_security", "reads rows that policies hide from it"),
                ][..],
            ),
            (
                "GRANT INSERT ON orders TO {role}; GRANT UPDATE (id) ON parts TO {role}; GRANT TRIGGER ON parts TO {role};
                 GRANT USAGE ON SEQUENCE orders_id_seq TO {role}; GRANT REFERENCES ON totals TO {role}",
                "REVOKE ALL ON orders, parts, totals FROM {role}; REVOKE ALL ON SEQUENCE orders_id_seq FROM {role}",
                &[
                    ("write", "may write to 2 tables and a sequence, `public.orders` among them"),
                    ("create", "may put triggers or keys on the table `public.totals`"),
                ],
            ),
            (
                "GRANT DELETE ON \"Odd one\".\"T 1\" TO PUBLIC; GRANT SELECT ON parts TO {role} WITH GRANT OPTION",
                "REVOKE DELETE ON \"Odd one\".\"T 1\" FROM PUBLIC; REVOKE ALL ON parts FROM {role}",
                &[
                    ("write", "may write to the table `\"Odd one\".\"T 1\"`"),
                    ("grant", "may pass on its rights to the table `public.parts`"),
                ],
            ),
            (
                "GRANT CREATE ON SCHEMA public TO {role}; ALTER TABLE parts OWNER TO {role}",
                "ALTER TABLE parts OWNER TO CURRENT_USER; REVOKE CREATE ON SCHEMA public FROM {role}",
                &[
                    ("ownership", "owns the table `public.parts`, with the right to change and drop"),
                    ("create", "may make tables and functions in the schema `public`"),
                ],
            ),
            (
                "GRANT pg_read_server_files, pg_execute_server_program, pg_signal_backend TO {role}",
                "REVOKE pg_read_server_files, pg_execute_server_program, pg_signal_backend FROM {role}",
                &[
                    ("program_execution", "may run programs on the server (`pg_execute_server_program`)"),
                    ("file_access", "may read the server's files (`pg_read_server_files`)"),
                    ("administration", "may stop other roles' statements and connections (`pg_signal_backend`)"),
                ],
            ),
            (
                "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role};
                 CREATE LANGUAGE wild HANDLER plpgsql_call_handler;
                 CREATE FUNCTION wild() RETURNS int LANGUAGE wild AS 'BEGIN RETURN 1; END'",
                "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM {role}; DROP LANGUAGE wild CASCADE",
                &[
                    ("program_execution", "may call the routine `public.wild`, written in an untrusted language"),
                    (
                        "file_access",
                        "may call the function `pg_catalog.pg_read_file`: a way to the server's files or to other servers",
                    ),
                ],
            ),
            // Nothing else is said of who may do everything.
            (
                "ALTER ROLE {role} SUPERUSER CREATEDB; GRANT INSERT ON orders TO {role}",
                "ALTER ROLE {role} NOSUPERUSER NOCREATEDB; REVOKE ALL ON orders FROM {role}",
                &[("superuser", "` is a superuser")],
            ),
        ] {
            check(&made, &admin, &role, grants, undo, expected).await;
        }
        // Nothing is inherited, but all of it is there for the asking.
        let grants = format!(
            "ALTER ROLE {boss} CREATEROLE; GRANT INSERT ON totals TO {boss}; GRANT pg_write_all_data TO {boss};
             GRANT {boss} TO {role}; GRANT ALL ON DATABASE {} TO {boss}",
            made.name
        );
        let via = format!("may make and change roles as `{boss}`, which it can become");
        let schemas = format!("may make schemas in the database `{}`", made.name);
        let expected = [
            ("write", "may write to every table (`pg_write_all_data`)"),
            ("write", "may write to the table `public.totals`"),
            ("create", &schemas),
            ("create_role", &via),
        ];
        check(&made, &admin, &role, &grants, "SELECT 1", &expected).await;
        let clean = format!("DROP OWNED BY {role}, {boss}; DROP ROLE {role}, {boss}");
        admin.batch_execute(&clean).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_remedy_makes_a_role_that_only_reads_and_can_be_indexed_with() {
    let sql = format!(
        "{DATA} GRANT ALL ON SCHEMA public TO PUBLIC; GRANT ALL ON parts TO PUBLIC; GRANT INSERT (total) ON orders TO PUBLIC;
         GRANT ALL ON SEQUENCE orders_id_seq TO PUBLIC; CREATE SCHEMA untouched;
         CREATE FUNCTION public.\"Odd f\"(int[], varchar(5)) RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE LANGUAGE wild HANDLER plpgsql_call_handler;
         CREATE FUNCTION wild(int[], \"char\") RETURNS int LANGUAGE wild AS 'BEGIN RETURN 1; END'"
    );
    with_database("remedy", &sql, |made| async move {
        let admin = made.client().await;
        let is_there = "SELECT FROM pg_available_extensions WHERE name = 'dblink'";
        if admin.query_opt(is_there, &[]).await.unwrap().is_some() {
            admin.batch_execute("CREATE EXTENSION dblink").await.unwrap();
        }
        let found = excess(&made, None).await;
        assert_eq!(codes(&[("superuser", "")]), found.iter().map(|right| right.code).collect::<Vec<_>>());
        let remedy = &found[0].remedy;
        let offered = remedy.split_whitespace().nth(2).unwrap();
        let role = format!("periplus_remedy_{}", std::process::id());
        let made_real = remedy.replace(offered, &role).replace("'<password>'", "'s3cret'");
        assert!(!made_real.contains('<') && made_real.lines().count() < 16, "{made_real}");
        admin.batch_execute(&made_real).await.unwrap_or_else(|error| panic!("{made_real}: {error:?}"));

        let dsn = made.dsn(Some(&format!("{role}:s3cret")));
        let connector = connect("s", &dsn).unwrap();
        assert_eq!(connector.excess_privileges().await.unwrap(), []);
        // In one statement, when there is nothing to repair.
        assert_eq!(connector.work().statements, 1);
        // Tables that come later are its to read, too.
        admin.batch_execute("CREATE TABLE \"Odd one\".later AS SELECT 1 AS a").await.unwrap();
        let tables = connector.introspect().await.unwrap();
        assert_eq!(tables.len(), 5);
        for table in &tables {
            assert!(connector.row_count(table).await.unwrap().is_some(), "{}", table.id);
            let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
            let sample = connector.sample(table, &columns, &SampleRequest::FirstRows { rows: 1 }).await;
            assert!(sample.is_ok(), "{}", table.id);
        }
        assert_eq!(code(&*connector, "SELECT * FROM totals, \"Odd one\".later").await, "ok");
        // The role refuses by itself, outside of our transactions, too.
        let direct = super::client(&dsn).await;
        assert!(direct.batch_execute("CREATE TEMP TABLE t (a int)").await.is_err());
        assert!(
            direct
                .batch_execute("SET default_transaction_read_only = off; INSERT INTO parts VALUES (2)")
                .await
                .is_err()
        );
        drop((direct, connector));
        admin.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_session_under_another_role_reads_what_that_one_may() {
    let data = "CREATE TABLE orders (id int, region text, total int); CREATE TABLE salaries (id int);
        INSERT INTO orders VALUES (1, 'north', 10), (2, 'south', 20);
        ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
        CREATE POLICY north ON orders FOR SELECT USING (region = 'north');
        CREATE VIEW every AS SELECT id FROM orders;
        CREATE TABLE closed (id int, memo text); ALTER TABLE closed ENABLE ROW LEVEL SECURITY;
        CREATE TABLE others (id int); ALTER TABLE others ENABLE ROW LEVEL SECURITY;
        CREATE POLICY mine ON others FOR SELECT TO postgres USING (true);
        CREATE VIEW through WITH (security_invoker) AS SELECT id FROM closed;";
    with_database("other_role", data, |made| async move {
        let role = format!("Periplus \"other\" {}", std::process::id());
        let quoted = catalog::Dialect::Postgres.identifier(&role);
        let admin = made.client().await;
        let grants = format!(
            "CREATE ROLE {quoted}; GRANT SELECT (id, region) ON orders TO {quoted}; GRANT SELECT ON every TO {quoted}"
        );
        admin.batch_execute(&grants).await.unwrap();
        let dsn = crate::with_role(&made.dsn(None), &role).unwrap();
        let connector = connect("s", &dsn).unwrap();
        assert_eq!(connector.role().await.unwrap(), Some(role.clone()));
        let readable = connector.readable().await.unwrap().unwrap();
        let own = readable.iter().filter(|it| it.table.schema.as_deref() == Some("public"));
        let mut own: Vec<String> = own.map(|it| format!("{}: {}", it.table.name, it.columns.join(" "))).collect();
        own.sort();
        assert_eq!(own, ["every: id", "orders: id region"]);
        for _ in 0..3 {
            let rows = run(&*connector, "SELECT id, session_user <> current_user FROM orders").await.unwrap().rows;
            assert_eq!(rows, [[Value::Integer(1), Value::Boolean(true)]]);
            assert_eq!(
                run(&*connector, "SELECT id FROM every").await.unwrap().rows.len(),
                2,
                "a view reads as its owner"
            );
        }
        assert_eq!(code(&*connector, "SELECT total FROM orders").await, "permission_denied");
        assert_eq!(code(&*connector, "SELECT id FROM salaries").await, "permission_denied");
        let tables = connector.introspect().await.unwrap();
        let policies = |tables: &[catalog::Table], name: &str| {
            tables.iter().find(|table| table.id.name == name).unwrap().row_policies.len()
        };
        assert_eq!((policies(&tables, "orders"), policies(&tables, "every")), (1, 0));
        let none = ["closed", "others", "through"].map(|name| policies(&tables, name));
        assert_eq!(none, [1, 1, 1], "without a policy for the role no row is seen");
        let usual = connect("s", &made.dsn(None)).unwrap();
        assert_eq!(policies(&usual.introspect().await.unwrap(), "orders"), 0);
        assert_eq!(run(&*usual, "SELECT id FROM orders").await.unwrap().rows.len(), 2);
        let unknown = connect("s", &crate::with_role(&made.dsn(None), "nobody at all").unwrap()).unwrap();
        assert!(unknown.role().await.is_err());
        for name in ["none", "None", ""] {
            let dsn = crate::with_role(&made.dsn(None), name).unwrap();
            assert_eq!(connect("s", &dsn).err().map(|error| error.code()), Some("invalid_dsn"), "{name}");
        }
        drop(connector);
        admin.batch_execute(&format!("DROP OWNED BY {quoted}; DROP ROLE {quoted}")).await.unwrap();
    })
    .await;
}
