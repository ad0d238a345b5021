//! Roles that may do more than read: warned of, refused where that is asked for, and never in the way of anything else.

use serde_json::{Value, json};
use testkit::load::{Loaded, MysqlServer, Place, PostgresServer, load};

use crate::project::Project;

/// Sets the project's only source to this address, with `settings` behind it.
fn point_at(project: &Project, dsn: &str, settings: &str) {
    let text = format!("[[sources]]\nid = \"data\"\ndsn = \"{dsn}\"\n{settings}\n[model]\nprovider = \"none\"\n");
    project.write("periplus.toml", &text);
}

#[test]
fn a_file_has_no_role_to_refuse() {
    let project = Project::over("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    let (code, document) = project.json(&["index", "--strict"]);
    assert_eq!(code, 0, "{document:#}");
    let clean = json!({"excess_privileges": [], "remedy": null, "unchecked": null});
    assert_eq!(document["sources"][0]["role"], clean);
    let run = project.run(&["status", "--strict"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(project.json(&["status"]).1["sources"][0]["role"], clean);
}

#[test]
fn a_role_that_nobody_can_ask_is_a_warning_and_an_error_only_where_strict() {
    let project = Project::over("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    assert_eq!(project.run(&["index"]).code, 0);
    let away = "postgres://ann:s3cret@127.0.0.1:1/sales";
    point_at(&project, away, "");
    let run = project.run(&["status"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.starts_with("warning[role_unchecked]: "), "{}", run.stderr);
    assert!(run.stderr.contains("because: `postgres://127.0.0.1:1/sales` can't be reached"), "{}", run.stderr);
    assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
    let (_, document) = project.json(&["status"]);
    assert_eq!(document["sources"][0]["role"]["unchecked"]["code"], "unreachable");

    let (code, document) = project.json(&["status", "--strict"]);
    assert_eq!((code, &document["error"]["code"]), (1, &Value::from("role_unchecked")));
    for (settings, expected) in [
        ("strict = true", (1, "role_unchecked")),
        ("[connect]\nstrict = true", (1, "role_unchecked")),
        // The source's own word counts more.
        ("strict = false\n[connect]\nstrict = true", (3, "unreachable")),
    ] {
        point_at(&project, away, settings);
        let (code, document) = project.json(&["query", "SELECT x FROM t"]);
        assert_eq!((code, &document["error"]["code"]), (expected.0, &Value::from(expected.1)), "{settings}");
    }
    // What really is the matter is said where nothing goes without the database.
    let (_, document) = project.json(&["index", "--strict"]);
    assert_eq!(document["error"]["code"], "unreachable");
    let serve = project.json(&["serve", "--strict"]).1;
    assert_eq!(serve["error"]["code"], "role_unchecked");
}

#[test]
fn a_role_that_may_do_everything_is_warned_of_once_or_refused() {
    let Some(server) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let project = Project::new();
    let told = |text: &str| {
        assert!(text.contains("is a superuser"), "{text}");
        assert!(text.contains("CREATE ROLE periplus_reader"), "{text}");
        assert!(text.contains("PASSWORD '<password>'"), "{text}");
    };
    // Whether there is anything to index depends on the server; the warning comes first.
    let run = project.run(&["--dsn", &server, "index"]);
    let warned: Vec<&str> = run.stderr.lines().skip_while(|line| !line.starts_with("warning[role_")).take(3).collect();
    assert_eq!(run.stderr.matches("role_too_powerful").count(), 1, "{}", run.stderr);
    assert!(warned[1].contains("is a superuser") && warned[2].starts_with("hint: `periplus status"), "{}", run.stderr);
    assert!(!run.stderr.contains("CREATE ROLE"), "{}", run.stderr);
    let run = project.run(&["--dsn", &server, "index", "--strict"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.starts_with("error[role_too_powerful]: "), "{}", run.stderr);
    assert!(!run.stderr.contains("profiling"), "{}", run.stderr);
    told(&run.stderr);
    let (_, document) = project.json(&["--dsn", &server, "index", "--strict"]);
    assert_eq!(document["error"]["code"], "role_too_powerful");
    assert!(document["error"]["causes"].as_array().unwrap()[0].as_str().unwrap().contains("is a superuser"));
}

/// How an engine makes a role that may log in.
struct Roles {
    scheme: &'static str,
    make: &'static [&'static str],
    /// What it may read already.
    given: &'static [&'static str],
    drop: &'static [&'static str],
}

/// Whoever is granted what `mask --grants` prints reads what isn't masked, through Periplus and past it, and nothing else.
fn check_grants(place: Box<dyn Place>, engine: &Roles) {
    let script = "CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, city TEXT);
        CREATE TABLE cities (name TEXT); INSERT INTO people VALUES (1, 'ann@example.org', 'Graz'), (2, NULL, 'Linz');
        INSERT INTO cities VALUES ('Graz');";
    let made = testkit::database(script);
    let mut loaded = load(place, made.path());
    let project = Project::new();
    point_at(&project, loaded.dsn(), "");
    assert_eq!(project.run(&["index"]).code, 0);
    let role = format!("periplus_granted_{}", std::process::id());
    let execute = |loaded: &mut Loaded, statements: &[&str]| {
        statements.iter().for_each(|sql| loaded.execute(&sql.replace("ROLE_NAME", &role)));
    };
    execute(&mut loaded, engine.make);
    execute(&mut loaded, engine.given);
    let grant = |project: &Project, loaded: &mut Loaded| {
        let printed = project.run(&["mask", "--grants", &role]);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        let statements = printed.stdout.lines().filter(|line| !line.starts_with("--"));
        statements.for_each(|sql| loaded.execute(sql.trim_end_matches(';')));
    };
    grant(&project, &mut loaded);

    let granted = Project::new();
    let address = loaded.dsn().split_once('@').map_or_else(String::new, |(_, address)| address.to_owned());
    point_at(&granted, &format!("{}://{role}@{address}", engine.scheme), "");
    assert_eq!(granted.run(&["index"]).code, 0);
    let count = granted.run(&["query", "SELECT city, count(*) AS many FROM people GROUP BY city"]);
    assert!(count.code == 0 && count.stdout.contains("Graz"), "{}{}", count.stdout, count.stderr);
    // Whoever can't see masked columns any more may print the statements again.
    grant(&granted, &mut loaded);
    // As if nothing were masked: what keeps it is the engine alone.
    let text = std::fs::read_to_string(granted.path("periplus.toml")).unwrap();
    granted.write("periplus.toml", &format!("{text}[guard]\nsensitive_columns = \"allow\"\n"));
    for sql in ["SELECT email FROM people", "SELECT count(email) FROM people", "SELECT id FROM people ORDER BY email"] {
        let run = granted.run(&["query", sql]);
        assert!(run.code != 0 && !run.stdout.contains("ann@"), "{sql}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(granted.run(&["query", "SELECT name FROM cities"]).code, 0);
    execute(&mut loaded, engine.drop);
}

#[test]
fn privileges_close_what_is_masked_on_postgres() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let make = &["DROP ROLE IF EXISTS ROLE_NAME", "CREATE ROLE ROLE_NAME LOGIN"];
    let given = &["GRANT SELECT ON ALL TABLES IN SCHEMA public TO ROLE_NAME"];
    let drop = &["DROP OWNED BY ROLE_NAME", "DROP ROLE ROLE_NAME"];
    check_grants(Box::new(PostgresServer::at(&url)), &Roles { scheme: "postgres", make, given, drop });
}

#[test]
fn privileges_close_what_is_masked_on_mariadb() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_MYSQL") else { return };
    let (make, drop) = (&["CREATE OR REPLACE USER 'ROLE_NAME'@'%'"], &["DROP USER 'ROLE_NAME'@'%'"]);
    let given = &["GRANT SELECT ON *.* TO 'ROLE_NAME'@'%'"];
    check_grants(Box::new(MysqlServer::at(&url)), &Roles { scheme: "mysql", make, given, drop });
}

#[test]
fn a_file_has_no_privileges_to_grant() {
    let project = Project::over("CREATE TABLE people (email TEXT)");
    assert_eq!(project.run(&["index"]).code, 0);
    let (code, document) = project.json(&["mask", "--grants", "reader"]);
    assert_eq!((code, &document["error"]["code"]), (1, &Value::from("unsupported")));
}
