//! Rights beyond reading, by roles too, and the remedy, which leaves none.

use mysql_async::prelude::Queryable;

use super::{Made, client, is_mariadb, with_database};
use crate::promises::{code, run};
use crate::{ExcessPrivilege, SampleRequest, connect};

async fn excess(made: &Made, user: Option<&str>) -> Vec<ExcessPrivilege> {
    connect("s", &made.dsn(user)).unwrap().excess_privileges().await.unwrap()
}

#[tokio::test]
async fn rights_are_found_where_they_are_and_where_a_role_brings_them() {
    with_database("excess", "CREATE TABLE t (a int, b int)", |made| async move {
        let (name, id) = (&made.name, std::process::id());
        let (user, outer, inner) =
            (format!("periplus_app_{id}"), format!("periplus_outer_{id}"), format!("periplus_inner_{id}"));
        let mut admin = made.client().await;
        let drop = format!("DROP USER IF EXISTS {user}; DROP ROLE IF EXISTS {outer}, {inner}");
        let mut run = async |sql: String| admin.query_drop(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        run(format!(
            "{drop}; CREATE USER {user} IDENTIFIED BY 's3cret'; CREATE ROLE {outer}; CREATE ROLE {inner};
             GRANT SELECT, SHOW VIEW ON {name}.* TO {user}; GRANT {inner} TO {outer}; GRANT {outer} TO {user}"
        ))
        .await;
        let log_in = format!("{user}:s3cret");
        assert_eq!(excess(&made, Some(&log_in)).await, []);
        // None is put on when one logs in, and any can be.
        run(format!("GRANT DELETE ON {name}.t TO {inner}")).await;
        let what = |rights: &str| format!("the user `{user}@%` {rights}");
        let found = excess(&made, Some(&log_in)).await;
        let told: Vec<_> = found.iter().map(|right| (right.code, right.what.clone())).collect();
        assert_eq!(told, [("write", what(&format!("may write: DELETE on `{name}`.`t`")))]);
        run(format!(
            "REVOKE {outer} FROM {user}; GRANT UPDATE (b), TRIGGER ON {name}.t TO {user}; GRANT FILE, PROCESS ON *.* TO {user};
             GRANT EXECUTE ON {name}.* TO {user} WITH GRANT OPTION"
        ))
        .await;
        let found = excess(&made, Some(&log_in)).await;
        let told: Vec<_> = found.iter().map(|right| (right.code, right.what.clone())).collect();
        let expected = [
            ("file_access", what("may read and write the server's files: FILE on *.*")),
            ("write", what(&format!("may write: UPDATE on `{name}`.`t`"))),
            ("create", what(&format!("may change the structure: TRIGGER on `{name}`.`t`"))),
            ("grant", what(&format!("may pass on rights: GRANT OPTION on `{name}`.*"))),
            ("execute", what(&format!("may call routines, which run with their makers' rights: EXECUTE on `{name}`.*"))),
            ("administration", what("may administer the server: PROCESS on *.*")),
        ];
        assert_eq!(told, expected);
        run(drop).await;
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_has_put_on_a_role_is_not_used_again() {
    with_database("worn", "CREATE TABLE t (a int)", |made| async move {
        if !is_mariadb(&made).await {
            return;
        }
        let id = std::process::id();
        let (user, role) = (format!("periplus_worn_{id}"), format!("periplus_wear_{id}"));
        let mut admin = made.client().await;
        let setup = format!(
            "DROP USER IF EXISTS {user}; DROP ROLE IF EXISTS {role}; CREATE USER {user} IDENTIFIED BY 's3cret';
             CREATE ROLE {role}; GRANT SELECT, INSERT ON {}.* TO {role}; GRANT USAGE ON {}.* TO {user}; GRANT {role} TO {user};
             GRANT SELECT (a) ON {}.t TO {user}",
            made.name, made.name, made.name
        );
        admin.query_drop(setup).await.unwrap();
        let connector = connect("s", &made.dsn(Some(&format!("{user}:s3cret")))).unwrap();
        assert_eq!(connector.excess_privileges().await.unwrap().len(), 1);
        let worn = run(&*connector, "SELECT CURRENT_ROLE()").await.unwrap();
        assert_eq!(worn.rows, [[crate::Value::Null]]);
        drop(connector);
        admin.query_drop(format!("DROP USER {user}; DROP ROLE {role}")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_session_under_another_role_reads_what_that_one_may_besides() {
    let data = "CREATE TABLE t (a int, b int); CREATE TABLE secret (a int); INSERT INTO t VALUES (1, 2)";
    with_database("other_role", data, |made| async move {
        let (name, id) = (&made.name, std::process::id());
        let (user, role) = (format!("periplus_plain_{id}"), format!("periplus_taken_{id}"));
        let mut admin = made.client().await;
        let drop = format!("DROP USER IF EXISTS {user}; DROP ROLE IF EXISTS {role}");
        let setup = format!(
            "{drop}; CREATE USER {user} IDENTIFIED BY 's3cret'; CREATE ROLE {role}; GRANT USAGE ON *.* TO {user};
             GRANT SELECT (a) ON {name}.t TO {role}; GRANT SHOW DATABASES ON *.* TO {user};
             GRANT SELECT ON {name}.secret TO {user}; GRANT {role} TO {user}"
        );
        admin.query_drop(setup).await.unwrap();
        let login = made.dsn(Some(&format!("{user}:s3cret")));
        let taken = connect("s", &crate::with_role(&login, &role).unwrap()).unwrap();
        let readable = async |connector: &dyn crate::Connector| {
            let mut readable = connector.readable().await.unwrap().unwrap();
            readable.sort_by(|one, other| one.table.cmp(&other.table));
            readable.into_iter().map(|it| format!("{}: {}", it.table.name, it.columns.join(" "))).collect::<Vec<_>>()
        };
        assert_eq!(readable(&*taken).await, ["secret: a", "t: a"]);
        for _ in 0..3 {
            assert_eq!(run(&*taken, "SELECT a FROM t").await.unwrap().rows.len(), 1);
        }
        assert_eq!(code(&*taken, "SELECT b FROM t").await, "permission_denied");
        let plain = connect("s", &login).unwrap();
        assert_eq!(code(&*plain, "SELECT a FROM t").await, "permission_denied");
        assert_eq!(readable(&*plain).await, ["secret: a"]);
        let unknown = connect("s", &crate::with_role(&login, "nobody").unwrap()).unwrap();
        assert!(unknown.introspect().await.is_err());
        admin.query_drop(drop).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_remedy_makes_a_user_who_only_reads_and_can_index() {
    let sql = "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t";
    with_database("remedy", sql, |made| async move {
        let found = excess(&made, None).await;
        assert_eq!(found.iter().map(|right| right.code).collect::<Vec<_>>(), ["superuser"]);
        let user = format!("periplus_remedy_{}", std::process::id());
        let remedy = found[0].remedy.replace("periplus_reader", &user).replace("<password>", "s3cret");
        // `_` stands for any character in the name of a granted database.
        assert!(remedy.contains(&format!("`{}`.*", made.name.replace('_', "\\_"))), "{remedy}");
        let mut admin = made.client().await;
        admin.query_drop(&remedy).await.unwrap_or_else(|error| panic!("{remedy}: {error}"));
        let dsn = made.dsn(Some(&format!("{user}:s3cret")));
        let connector = connect("s", &dsn).unwrap();
        assert_eq!(connector.excess_privileges().await.unwrap(), []);
        let tables = connector.introspect().await.unwrap();
        assert_eq!(tables.len(), 2);
        assert!(tables[1].definition.is_some());
        for table in &tables {
            assert!(connector.row_count(table).await.unwrap().is_some(), "{}", table.id);
            let sample = connector.sample(table, &["a".to_owned()], &SampleRequest::FirstRows { rows: 1 }).await;
            assert_eq!(sample.unwrap().rows.len(), 1, "{}", table.id);
        }
        assert_eq!(code(&*connector, "SELECT * FROM v").await, "ok");
        // The server refuses outside of our transactions, too.
        assert!(client(&dsn).await.query_drop("INSERT INTO t VALUES (2)").await.is_err());
        let account = remedy.split_whitespace().nth(2).unwrap();
        admin.query_drop(format!("DROP USER {account}")).await.unwrap();
    })
    .await;
}
