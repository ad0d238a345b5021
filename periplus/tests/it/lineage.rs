//! Where data comes from, asked at the command line: of views, scripts and a dbt project.

use crate::project::Project;

const SCHEMA: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, status TEXT);
    CREATE TABLE revenue (customer TEXT, amount REAL);
    CREATE VIEW paid AS SELECT id, customer, cents FROM orders WHERE status = 'paid';
    INSERT INTO orders VALUES (1, 'a', 100, 'paid');";
const SCRIPT: &str = "-- every night\nINSERT INTO revenue (customer, amount)\nSELECT customer, sum(cents) / 100.0 FROM paid GROUP BY customer;\n";

fn project() -> Project {
    let project = Project::over(SCHEMA);
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    std::fs::create_dir(project.path("jobs")).unwrap();
    project.write("jobs/night.sql", SCRIPT);
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"jobs\"]\n[model]"));
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

#[test]
fn a_column_is_followed_to_what_it_is_made_from() {
    let project = project();
    let told = project.run(&["lineage", "revenue.amount", "--up"]).stdout;
    for line in [
        "revenue.amount is made from 2 columns:",
        "  paid.cents, aggregated as sum(cents) / 100.0 (jobs/night.sql:2)",
        "    orders.cents (view paid)",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (code, told) = project.json(&["lineage", "orders", "--down"]);
    assert_eq!((code, &told["makes"]["total"]), (0, &serde_json::json!(2)));
    assert_eq!(told["makes"]["tables"][0]["deciding"], serde_json::json!([["status", "filter"]]));
    assert!(told.get("made_from").is_none(), "{told}");
    let (_, near) = project.json(&["lineage", "orders", "--depth", "1"]);
    assert_eq!(near["makes"]["total"], 1);
}

#[test]
fn what_was_changed_leaves_no_old_edge() {
    let project = project();
    assert_eq!(project.run(&["status", "--check"]).code, 0);
    project.write("jobs/night.sql", "INSERT INTO revenue (customer) SELECT customer FROM orders;");
    let status = project.run(&["status", "--check"]);
    assert!(status.code == 4 && status.stdout.contains("read for lineage: jobs/night.sql"), "{}", status.stdout);
    assert_eq!(project.run(&["index"]).code, 0);
    let (_, told) = project.json(&["lineage", "revenue", "--up"]);
    assert_eq!(told["made_from"]["total"], 1, "{told}");
    assert_eq!(told["made_from"]["columns"][0]["from"], "orders.customer");
}

#[test]
fn what_a_text_leaves_open_is_listed() {
    let project = project();
    project.write(
        "jobs/night.sql",
        &format!(
            "{SCRIPT}INSERT INTO revenue SELECT FROM WHERE;\nINSERT INTO revenue (amount) SELECT cent FROM orders;\n\
             INSERT INTO revenue (amount) SELECT o.cnts FROM orders o;"
        ),
    );
    let indexed = project.run(&["index"]).stdout;
    assert!(indexed.contains("3 left open, see `periplus lineage`"), "{indexed}");
    let told = project.run(&["lineage", "revenue"]).stdout;
    for open in [
        "(jobs/night.sql:4)",
        "open: there is no `cent` in orders (jobs/night.sql:5)",
        "open: there is no `o.cnts` in orders (jobs/night.sql:6)",
    ] {
        assert!(told.contains(open), "{open}: {told}");
    }
    let (_, all) = project.json(&["lineage"]);
    assert_eq!((all["open"].as_array().map(Vec::len), all["tables"].as_array().map(Vec::len)), (Some(3), Some(2)));
    let unknown = project.run(&["lineage", "revenues"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("revenue"), "{}", unknown.stderr);
    let column = project.run(&["lineage", "orders.custome"]);
    assert!(column.stderr.contains("called much like it: customer"), "{}", column.stderr);
    assert_eq!(project.run(&["lineage", "orders", "--depth", "0"]).code, 2);
}

#[test]
fn what_decides_over_rows_is_told_as_well() {
    let project = project();
    let told = project.run(&["lineage", "orders.status", "--down"]).stdout;
    assert!(told.contains("no column is made from orders.status, but it decides which rows there are:"), "{told}");
    assert!(told.contains("rows of paid are filtered by it (view paid)"), "{told}");
    let told = project.run(&["describe", "revenue"]).stdout;
    assert!(told.contains("amount = sum(cents) / 100.0, from paid"), "{told}");
}

#[test]
fn what_isnt_there_to_be_read_ends_a_run_before_it_begins() {
    let project = project();
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    for (key, code) in [("dbt = [\"nowhere\"]", "no_dbt_manifest"), ("dbt = [\"jobs/night.sql\"]", "no_dbt_manifest")] {
        project.write("periplus.toml", &config.replace("scripts = ", &format!("{key}\nscripts = ")));
        let indexed = project.run(&["index"]);
        assert!(indexed.code == 1 && indexed.stderr.contains(code), "{}", indexed.stderr);
    }
    project.write("periplus.toml", &config);
    let (_, told) = project.json(&["lineage", "revenue", "--up"]);
    assert_eq!(told["made_from"]["total"], 2, "what was known still is: {told}");
    project.write("periplus.toml", &config.replace("[\"jobs\"]", "[\"jobs/night.sql\"]"));
    assert_eq!(project.run(&["index"]).code, 0, "a single file will do");
}

const DBT_MANIFEST: &str = r#"{"metadata": {"adapter_type": "sqlite"},
    "nodes": {
        "model.a.revenue": {"resource_type": "model", "name": "revenue", "compiled_code": "select customer, sum(cents) as amount from orders group by 1",
            "tags": ["finance"], "meta": {"owner": "sales"}, "description": "A row a customer.",
            "columns": {"customer": {"name": "customer", "meta": {"contains_pii": true}}, "gone": {"name": "gone"}}},
        "test.a.amount": {"resource_type": "test", "column_name": "amount", "attached_node": "model.a.revenue",
            "test_metadata": {"name": "not_null"}, "depends_on": {"nodes": ["model.a.revenue"]}}},
    "sources": {"source.a.raw.orders": {"identifier": "orders"}}}"#;

#[test]
fn what_a_dbt_project_notes_of_tables_is_told() {
    let project = project();
    std::fs::remove_file(project.path("periplus.toml")).unwrap();
    std::fs::create_dir_all(project.path("transform/target")).unwrap();
    project.write("transform/dbt_project.yml", "name: a");
    let dsn = format!("sqlite:{}", project.path("data.db").display());
    let begun = project.run(&["init", &dsn]);
    assert!(begun.stdout.contains("transform has no manifest yet"), "{} {}", begun.stdout, begun.stderr);
    std::fs::remove_file(project.path("periplus.toml")).unwrap();
    project.write("transform/target/manifest.json", DBT_MANIFEST);
    let begun = project.run(&["init", &dsn]);
    assert!(begun.stdout.contains("transform is read as well"), "{} {}", begun.stdout, begun.stderr);
    assert_eq!(project.run(&["index"]).code, 0);
    let refused = project.run(&["query", "SELECT customer FROM revenue"]);
    assert!(refused.code == 1 && refused.stdout.contains("masked_column"), "its label says so: {}", refused.stdout);
    let open = project.run(&["lineage"]).stdout;
    assert!(open.contains("open: gone is described, and revenue doesn't have it"), "{open}");
    let told = project.run(&["describe", "revenue"]).stdout;
    assert!(told.contains("dbt tags: finance") && told.contains("dbt meta: owner = sales"), "{told}");
    assert!(!told.contains("dbt tests"), "nothing came of them yet: {told}");

    project.write(
        "transform/target/run_results.json",
        r#"{"metadata": {"generated_at": "2026-11-28T06:10:00Z"}, "results": [{"unique_id": "test.a.amount", "status": "fail", "failures": 2}]}"#,
    );
    project.write(
        "transform/target/sources.json",
        r#"{"results": [{"unique_id": "source.a.raw.orders", "status": "error", "max_loaded_at": "2026-11-20T10:00:00Z",
            "criteria": {"error_after": {"count": 1, "period": "day"}}}]}"#,
    );
    let status = project.run(&["status", "--check"]);
    assert!(status.code == 4 && status.stdout.contains("model.a.revenue"), "{}", status.stdout);
    assert_eq!(project.run(&["index"]).code, 0);
    let status = project.run(&["status", "--check"]);
    assert!(
        status.code == 0 && status.stdout.contains("revenue: dbt tests failed: amount not_null (2 rows)"),
        "{}",
        status.stdout
    );
    let told = project.run(&["describe", "revenue"]).stdout;
    assert!(told.contains("dbt tests: failed on 2026-11-28 06:10 UTC: amount not_null (2 rows)"), "{told}");
    let (_, told) = project.json(&["describe", "orders"]);
    assert_eq!(told["dbt"]["freshness"]["is_late"], true, "{told}");

    // `dbt source freshness` and `dbt ls` write a manifest without SQL, and `dbt docs generate` other results.
    let open = project.run(&["query", "SELECT amount FROM revenue"]);
    assert_eq!(open.code, 0, "{}", open.stdout);
    std::fs::create_dir_all(project.path("transform/target/compiled/a/models")).unwrap();
    project.write(
        "transform/target/compiled/a/models/revenue.sql",
        "select customer, sum(cents) as amount from orders group by 1",
    );
    let without = DBT_MANIFEST.replace(
        "\"compiled_code\": \"select customer, sum(cents) as amount from orders group by 1\"",
        "\"package_name\": \"a\", \"original_file_path\": \"models/revenue.sql\"",
    );
    assert!(without.contains("package_name"));
    project.write("transform/target/manifest.json", &without);
    project.write(
        "transform/target/run_results.json",
        r#"{"results": [{"unique_id": "test.a.amount", "status": "success"}]}"#,
    );
    assert_eq!(project.run(&["index"]).code, 0);
    let told = project.run(&["describe", "revenue"]).stdout;
    assert!(told.contains("amount = sum(cents)") && told.contains("amount not_null (2 rows)"), "{told}");
    assert_eq!(project.run(&["query", "SELECT amount FROM revenue"]).code, 0);
    std::fs::create_dir_all(project.path("transform/models")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.write("transform/models/revenue.sql", "select customer, count(*) as amount from orders group by 1");
    assert_eq!(project.run(&["index"]).code, 0);
    let told = project.run(&["lineage"]).stdout;
    assert!(told.contains("no compiled SQL"), "it was changed since: {told}");
}

#[test]
fn what_a_script_makes_of_a_masked_column_is_masked() {
    let project = Project::over(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, town TEXT);
         CREATE TABLE sent (number INTEGER, box TEXT, place TEXT, boxes INTEGER);
         INSERT INTO people VALUES (1, 'ann.zz@example.org', 'Graz'), (2, 'bob.qq@example.org', 'Linz');
         INSERT INTO sent VALUES (1, 'ANN', 'Graz', 1), (2, 'BOB', 'Linz', 1);",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write(
        "fill.sql",
        "INSERT INTO sent (number, box, place, boxes) SELECT id, upper(substr(email, 1, 3)), town, count(email) FROM people GROUP BY id;",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["query", "SELECT box FROM sent"]).code, 0, "nothing says what it is made from");
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"fill.sql\"]\n[model]"));
    assert_eq!(project.run(&["index"]).code, 0);
    let refused = project.run(&["query", "SELECT box FROM sent"]);
    assert!(refused.code == 1 && refused.stdout.contains("masked_column"), "{}", refused.stdout);
    assert_eq!(project.run(&["query", "SELECT number, place, boxes FROM sent"]).code, 0);
    let told = project.run(&["describe", "sent"]).stdout;
    assert!(told.contains("made from `people.email`") && !told.contains("ANN") && !told.contains("substr"), "{told}");
    let kept = std::fs::read(project.path(".periplus/catalog.db")).unwrap();
    assert!(!kept.windows(3).any(|part| part == b"BOB"), "values are erased from the catalog");
}

#[test]
fn what_is_damaged_closes_everything_until_it_is_read_anew() {
    let project = project();
    project.write(".periplus/lineage.json", "{");
    for command in [["query", "SELECT id FROM orders"], ["describe", "orders"], ["lineage", "orders"]] {
        let refused = project.run(&command);
        assert!(refused.code == 1 && refused.stderr.contains("lineage_unreadable"), "{command:?}: {}", refused.stderr);
    }
    assert_eq!(project.run(&["index", "--full"]).code, 0);
    assert_eq!(project.run(&["lineage", "orders"]).code, 0);
}

/// Scripts that make `c` of a table of three columns, k, c and d, from what is masked.
const CARRYING: [&str; 40] = [
    "CREATE TEMP TABLE stg AS SELECT id, email FROM people; INSERT INTO t(k, c) SELECT id, email FROM stg; DROP TABLE stg",
    "CREATE TABLE s1 AS SELECT * FROM people; CREATE TABLE s2 AS SELECT * FROM s1; INSERT INTO t(k, c) SELECT id, email FROM s2",
    "INSERT INTO far SELECT * FROM people; INSERT INTO t(k, c) SELECT id, email FROM far",
    "CREATE VIEW gone AS SELECT id, email AS e FROM people; INSERT INTO t(k, c) SELECT id, e FROM gone",
    "CREATE TABLE t_new AS SELECT id AS k, email AS c, 1 AS d FROM people; DROP TABLE t; ALTER TABLE t_new RENAME TO t",
    "INSERT INTO t(c) SELECT count(*) || max(email) FROM people",
    "INSERT INTO t(c) SELECT count(email) || group_concat(email) FROM people",
    "INSERT INTO t(c) SELECT x FROM (SELECT count(*) || min(email) AS x FROM people)",
    "ALTER TABLE t ADD COLUMN d TEXT; INSERT INTO t SELECT id, email, 1 FROM people",
    "INSERT INTO t(k, c) SELECT u.*, p.email FROM unk u JOIN people p ON p.id = u.id",
    "DROP TABLE t; CREATE TABLE t (a, b, e); INSERT INTO t SELECT id, email, 1 FROM people",
    "INSERT INTO t(k, c) SELECT 1, EXISTS (SELECT 1 FROM people WHERE email = o.contact) FROM orders o",
    "INSERT INTO t(k, c) SELECT 1, o.contact IN (SELECT email FROM people) FROM orders o",
    "INSERT INTO t(k, c) SELECT id, row_number() OVER w FROM people WINDOW w AS (ORDER BY email)",
    "WITH RECURSIVE a(n, p, q, r) AS (SELECT id, email, town, town FROM people UNION ALL SELECT n, p, p, q FROM a) \
     INSERT INTO t(k, c) SELECT n, r FROM a",
    "INSERT INTO t(k, c) SELECT 1, group_concat(town ORDER BY email) FROM people",
    "UPDATE t SET c = p.email FROM people p WHERE p.id = t.k",
    "INSERT INTO t(k, c) VALUES (1, 'x') ON CONFLICT (k) DO UPDATE SET c = (SELECT max(email) FROM people)",
    "INSERT INTO t(k, c) SELECT id, coalesce(nullif(lower(email), ''), town) FROM people",
    "INSERT INTO t SELECT * FROM (SELECT id, email, town FROM people)",
    "INSERT INTO t(k, c) WITH z AS (SELECT email AS y FROM people) SELECT 1, y FROM z UNION SELECT 2, 'a'",
    "INSERT INTO t(k, c) SELECT id2, em FROM st1 JOIN st2 USING (id2); INSERT INTO st1 SELECT id AS id2, email AS em FROM people",
    "INSERT INTO st3 SELECT id, email FROM people; INSERT INTO t(k, c) SELECT a, b FROM st3",
    "INSERT INTO t SELECT * FROM st4; CREATE TABLE st4 AS SELECT id AS x, town AS z, email AS y FROM people",
    "CREATE TEMP TABLE st5 AS SELECT * FROM people; INSERT INTO t(k, c) SELECT id, email FROM temp.st5",
    "CREATE TABLE main.st6 AS SELECT * FROM people; INSERT INTO t(k, c) SELECT id, email FROM st6",
    "CREATE TRIGGER tr AFTER INSERT ON people BEGIN INSERT INTO t(k, c) SELECT id, email FROM people; END",
    "CREATE TRIGGER tr AFTER UPDATE ON people BEGIN INSERT INTO t(k, c) VALUES (new.id, new.email); END",
    "CREATE TRIGGER tr AFTER UPDATE ON people BEGIN DELETE FROM orders; UPDATE t SET c = old.email WHERE k = old.id; END",
    "CREATE VIEW seen AS SELECT k AS x, c AS y FROM t; INSERT INTO seen_t(a, b) SELECT id, email FROM people",
    "CREATE FUNCTION f1() RETURNS TABLE (i INT, s TEXT) LANGUAGE sql AS $$ SELECT id, email FROM people $$; INSERT INTO t(k, c) SELECT i, s FROM f1()",
    "INSERT INTO t(k, c) SELECT id, f2(id) FROM orders; CREATE FUNCTION f2(n INT) RETURNS TEXT LANGUAGE sql AS 'SELECT email FROM people WHERE id = n'",
    "CREATE PROCEDURE p1() LANGUAGE sql AS 'INSERT INTO t SELECT id, email FROM people'",
    "CREATE MACRO m1() AS TABLE SELECT id, email FROM people; INSERT INTO t SELECT * FROM m1()",
    "SELECT max(email) INTO top FROM people; INSERT INTO t(k, c) VALUES (1, top)",
    "CREATE TABLE cut AS SELECT email AS v FROM people; INSERT INTO t(k, c) SELECT id, v FROM orders",
    "INSERT INTO t(k, c) VALUES (1, (SELECT max(email) FROM people))",
    "CREATE FUNCTION ff() RETURNS void LANGUAGE plpgsql AS $$ DECLARE v TEXT; BEGIN SELECT max(email) INTO v FROM people; INSERT INTO t(k, c) VALUES (1, v); END $$",
    "CREATE FUNCTION ff() RETURNS void LANGUAGE plpgsql AS $$ BEGIN FOR r IN SELECT id, email AS e FROM people LOOP INSERT INTO t(k, c) VALUES (r.id, r.e); END LOOP; END $$",
    "CREATE FUNCTION inner1(n INT) RETURNS TEXT LANGUAGE sql AS 'SELECT email FROM people WHERE id = n'; CREATE FUNCTION outer1(n INT) RETURNS TEXT LANGUAGE sql AS 'SELECT inner1(n)'; INSERT INTO t(k, c) SELECT id, outer1(id) FROM orders",
];

/// Scripts that fill `k` of a table of three columns, k, c and d, with rows that a masked column has chosen.
const CHOOSING: [&str; 35] = [
    "INSERT INTO t(k) SELECT id FROM people WHERE email LIKE 'a%'",
    "INSERT INTO t(k) SELECT id FROM people ORDER BY email LIMIT 1",
    "INSERT INTO t(k) SELECT town FROM people GROUP BY town, email",
    "INSERT INTO t(k) SELECT count(*) FROM people WHERE email > 'm'",
    "INSERT INTO t(k) SELECT 1 FROM people WHERE email > 'm'",
    "INSERT INTO t(k) SELECT orders.id FROM orders JOIN people ON people.email = orders.note",
    "INSERT INTO t(k) SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM people WHERE email LIKE orders.note)",
    "INSERT INTO t(k) SELECT id FROM orders WHERE id IN (SELECT id FROM people WHERE substr(email, 1, 1) = 'a')",
    "INSERT INTO t(k) SELECT id FROM (SELECT id, row_number() OVER (ORDER BY email) AS r FROM people) WHERE r = 1",
    "INSERT INTO t(k) SELECT town FROM people UNION SELECT town FROM people WHERE email < 'm'",
    "INSERT INTO t(k, c) SELECT id, email FROM people INTERSECT SELECT id, note FROM orders",
    "WITH a AS (SELECT id FROM people WHERE length(email) > 20) INSERT INTO t(k) SELECT id FROM a",
    "CREATE TEMP TABLE st1 AS SELECT id FROM people WHERE email LIKE 'a%'; INSERT INTO t(k) SELECT id FROM st1",
    "CREATE TEMP TABLE st2 AS SELECT id FROM people WHERE email LIKE 'a%'; INSERT INTO t(k) SELECT orders.id FROM orders JOIN st2 ON st2.id = orders.id",
    "CREATE TEMP TABLE st3 AS SELECT id, CASE WHEN email LIKE 'a%' THEN 1 END AS f FROM people; INSERT INTO t(k) SELECT id FROM st3 WHERE f IS NOT NULL",
    "CREATE TEMP TABLE st4 AS SELECT * FROM people; INSERT INTO t(k) SELECT id FROM st4 WHERE email LIKE 'a%'",
    "INSERT INTO t(k) SELECT id FROM early",
    "INSERT INTO t(k) SELECT count(*) FROM early",
    "UPDATE t SET k = 1 FROM people WHERE people.id = t.c AND people.email LIKE 'a%'",
    "UPDATE t SET k = (SELECT count(*) FROM people WHERE email LIKE 'a%')",
    "DROP TABLE t; CREATE TABLE t AS SELECT id AS k FROM people WHERE email LIKE 'a%'",
    "INSERT INTO t(k) SELECT count(CASE WHEN email > 'm' THEN 1 END) FROM people GROUP BY id",
    "INSERT INTO t(k) SELECT count(*) FILTER (WHERE email > 'm') FROM people",
    "INSERT INTO t(k) SELECT count(DISTINCT f) FROM (SELECT nullif(email, 'a') AS f FROM people)",
    "INSERT INTO t(c, d) SELECT id, email FROM people WHERE true ON CONFLICT (c) DO UPDATE SET k = 1 WHERE t.d < excluded.d",
    "INSERT INTO t(k) SELECT id FROM people WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = people.email)",
    "INSERT INTO t(k) SELECT a.id FROM holders a, holders b GROUP BY a.id, b.email",
    "WITH h AS (SELECT id, email FROM holders) INSERT INTO t(k) SELECT a.id FROM h a, h b GROUP BY a.id, b.email",
    "INSERT INTO t(k) SELECT count(*) FROM holders GROUP BY id % 2, email",
    "INSERT INTO t(k, c) SELECT DISTINCT id % 2, email FROM holders",
    "INSERT OR IGNORE INTO t(c, k) SELECT substr(email, 1, 1), id FROM people",
    "MERGE INTO t USING people p ON t.c = p.email WHEN MATCHED THEN UPDATE SET k = p.id",
    "CREATE TRIGGER tr AFTER UPDATE ON people WHEN new.email LIKE 'a%' BEGIN INSERT INTO t(k) VALUES (1); END",
    "CREATE TRIGGER tr AFTER UPDATE ON people WHEN new.email LIKE 'a%' BEGIN DELETE FROM orders; INSERT INTO t(k) VALUES (1); END",
    "CREATE FUNCTION fi() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.email > 'a' THEN INSERT INTO t(k) VALUES (1); END IF; RETURN new; END $$",
];

/// Scripts that nobody can parse, or not to the end.
const UNREAD: [&str; 15] = [
    "CREATE TABLE t (k, c) AS SELECT id, email FROM people",
    "INSERT INTO t(k, c) OVERRIDING USER VALUE SELECT id, email FROM people",
    "INSERT INTO t(k, c) SELECT id, email FROM people INDEXED BY by_email WHERE id = 1",
    "INSERT INTO t (WITH z AS (SELECT id, email FROM people) SELECT * FROM z)",
    "CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t(k, c) SELECT id, email FROM people; END $$",
    "PREPARE fill AS INSERT INTO t(k, c) SELECT id, email FROM people",
    "CREATE RULE r AS ON INSERT TO orders DO ALSO INSERT INTO t(k, c) SELECT id, email FROM people",
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE ?? = 1",
    "CREATE TABLE st6 AS SELECT id, email FROM people; INSERT INTO t(k, c) SELECT FROM ONLY (st6) ??",
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE town = 'Graz",
    "UPDATE people p, t x SET x.c = p.email ?? WHERE p.id = x.k",
    "REPLACE t SELECT id, email FROM people",
    "INSERT IGNORE t SELECT ?? id, email FROM people",
    "MERGE t USING people ON ?? WHEN MATCHED THEN UPDATE SET c = email",
    "DO $$ BEGIN INSERT INTO t(k, c) SELECT id, email FROM people; END $$",
];

/// Scripts that fill it with rows that no masked column has chosen.
const CHOOSING_OPENLY: [&str; 25] = [
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE town = 'Graz' GROUP BY id ORDER BY id",
    "INSERT INTO t(k) SELECT orders.id FROM orders JOIN people ON people.id = orders.id",
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE email IS NOT NULL",
    "INSERT INTO t(k) SELECT count(email) FROM people",
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.c = people.email)",
    "CREATE TEMP TABLE st5 AS SELECT id, email FROM people; INSERT INTO t(k, c) SELECT st5.id, email FROM st5 JOIN orders ON orders.id = st5.id",
    "UPDATE t SET c = p.email FROM people p WHERE p.id = t.k",
    "UPDATE t SET d = upper(p.email), k = 1 FROM people p WHERE p.id = t.k",
    "INSERT INTO t(k, c) SELECT id, email FROM people WHERE true ON CONFLICT (c) DO UPDATE SET k = excluded.k",
    "MERGE INTO t USING people p ON t.c = p.email WHEN MATCHED THEN UPDATE SET k = p.id WHEN NOT MATCHED THEN INSERT (k, c) VALUES (p.id, p.email)",
    "INSERT INTO t(k, c) VALUES ((SELECT count(*) FROM people), 'x')",
    "UPDATE t SET k = (SELECT count(*) FROM people)",
    "CREATE TEMP TABLE tmp AS SELECT id FROM people WHERE email LIKE 'a%'; DELETE FROM orders WHERE id IN (SELECT id FROM tmp)",
    "CREATE TEMP TABLE tmp AS SELECT id FROM orders; INSERT INTO t(k) SELECT id FROM tmp",
    "\\set day 1\nINSERT INTO t(k, c) SELECT id, email FROM people WHERE id > :'day' AND id < ${MAX} AND id <> {{ no }}",
    "INSERT INTO t(k, c) SELECT h.id, h.email FROM holders h JOIN orders USING (id) GROUP BY h.id, h.email",
    "INSERT INTO t(k, c) SELECT id, upper(email) FROM holders GROUP BY 1, 2",
    "INSERT INTO t(k, c) SELECT DISTINCT id, lower(email) FROM holders",
    "WITH h AS (SELECT id, email FROM holders) INSERT INTO t(k, c) SELECT id, email FROM h GROUP BY id, email",
    "CREATE FUNCTION f3(n INT) RETURNS INT LANGUAGE sql AS 'SELECT n + 1'; INSERT INTO t(k, c) SELECT f3(id), email FROM people",
    "CREATE PROCEDURE pp() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t(k, c) SELECT id, email FROM people; COMMIT; END $$",
    "UPDATE t x, people p SET x.c = p.email, x.k = 2 WHERE p.id = x.k",
    "INSERT INTO t(k, d) SELECT id, max(email) FROM people GROUP BY id ON CONFLICT (k) DO NOTHING",
    "CREATE TRIGGER tr AFTER UPDATE ON people WHEN new.town > 'G' BEGIN INSERT INTO t(k, c) VALUES (new.town, 'x'); END",
    "UPDATE orders SET note = 'x' WHERE id IN (SELECT id FROM people WHERE email LIKE 'a%'); INSERT INTO t(k) SELECT id FROM orders",
];

/// A project with these scripts, each over a table of its own in the place of `t`, with its columns k, c and d.
fn filled_by(scripts: &[&str]) -> Project {
    let mut schema = "CREATE TABLE people (id INTEGER, email TEXT, town TEXT);
        CREATE TABLE orders (id INTEGER, contact INTEGER, note TEXT); CREATE TABLE early (id INTEGER);
        CREATE TABLE holders (id INTEGER PRIMARY KEY, email TEXT);
        INSERT INTO people VALUES (1, 'ann@example.org', 'Graz');"
        .to_owned();
    for number in 0..scripts.len() {
        schema.push_str(&format!(
            "CREATE TABLE t{number} (k INTEGER, c TEXT, d TEXT); INSERT INTO t{number} VALUES (1, '7', 'z');
             CREATE VIEW seen_t{number} AS SELECT k AS a, c AS b FROM t{number};"
        ));
    }
    let project = Project::over(&schema);
    std::fs::create_dir(project.path("jobs")).unwrap();
    project.write("jobs/early.sql", "CREATE TABLE early AS SELECT id FROM people WHERE email LIKE 'a%'");
    for (number, script) in scripts.iter().enumerate() {
        let own = |script: &str| {
            let mut text = format!(" {script} ");
            text = text.replace("seen_t(", &format!("seen_t{number}("));
            for (word, end) in [("t", " "), ("t", "("), ("t", ")"), ("t", ";"), ("t", ".")] {
                text = text.replace(&format!(" {word}{end}"), &format!(" {word}{number}{end}"));
            }
            text
        };
        project.write(&format!("jobs/{number:02}.sql"), &own(script));
    }
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"jobs\"]\n[model]"));
    let indexed = project.run(&["index"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    project
}

/// The scripts after which a statement over their table isn't refused for what is masked.
fn open_after<'s>(scripts: &[&'s str], statement: &str) -> (Project, Vec<&'s str>) {
    let project = filled_by(scripts);
    let is_refused = |number: usize| {
        let refused = project.run(&["query", &statement.replace("{t}", &format!("t{number}"))]);
        refused.code == 1 && refused.stdout.contains("masked_column")
    };
    let open = (0..scripts.len()).filter(|number| !is_refused(*number)).map(|it| scripts[it]).collect();
    (project, open)
}

#[test]
fn whatever_carries_a_masked_column_on_masks_what_it_fills() {
    let (project, open) = open_after(&CARRYING, "SELECT c FROM {t}");
    assert!(open.is_empty(), "{open:#?}");
    let query = project.run(&["query", "SELECT k FROM t0"]);
    assert_eq!(query.code, 0, "the others stay open: {}", query.stdout);
}

#[test]
fn rows_that_a_masked_column_has_chosen_tell_of_it() {
    let (project, open) = open_after(&CHOOSING, "SELECT k FROM {t}");
    assert!(open.is_empty(), "{open:#?}");
    for (statement, is_open) in [
        ("SELECT count(*) FROM early", false),
        ("SELECT count(*) FROM t20", false),
        // Of a table that has rows from elsewhere as well, it isn't told how many these are.
        ("SELECT count(*) FROM t0", true),
        ("SELECT d FROM t0", true),
    ] {
        let answer = project.run(&["query", statement]);
        assert_eq!(answer.code == 0, is_open, "{statement}: {}", answer.stdout);
    }
    let told = project.run(&["describe", "early"]).stdout;
    assert!(told.contains("people.email"), "{told}");
    assert_eq!(project.run(&["mask", "--release", "early.*"]).code, 0);
    assert_eq!(project.run(&["query", "SELECT id FROM early"]).code, 0);
    assert_eq!(project.run(&["query", "SELECT count(*) FROM early"]).code, 0);
}

#[test]
fn a_statement_that_cant_be_read_may_fill_its_table_from_all_that_it_names() {
    let (project, open) = open_after(&UNREAD, "SELECT c FROM {t}");
    assert!(open.is_empty(), "{open:#?}");
    project.write("jobs/later.sql", "CREATE TABLE t0 (k INTEGER ?? REFERENCES people (id));");
    assert_eq!(project.run(&["query", "SELECT id FROM orders"]).code, 0);
}

#[test]
fn whether_there_is_a_value_tells_of_the_condition_that_made_it() {
    let scripts = [
        "INSERT INTO t(k, c) SELECT id, CASE WHEN email LIKE 'a%' THEN 1 END FROM people",
        "CREATE TEMP TABLE st AS SELECT id, nullif(email, 'a') AS f FROM people; INSERT INTO t(k, c) SELECT id, f FROM st",
        "INSERT INTO t(k, c) SELECT k, c FROM t0",
        "INSERT INTO t(k, c) SELECT id, email FROM people",
    ];
    for statement in ["SELECT count(c) FROM {t}", "SELECT k FROM {t} WHERE c IS NULL"] {
        assert_eq!(open_after(&scripts, statement).1, scripts[3..], "{statement}");
    }
    assert!(open_after(&CHOOSING[..6], "SELECT count(k) FROM {t}").1.is_empty());
}

#[test]
fn what_is_chosen_by_other_columns_stays_open() {
    let (_, open) = open_after(&CHOOSING_OPENLY, "SELECT k FROM {t}");
    let closed: Vec<&&str> = CHOOSING_OPENLY.iter().filter(|script| !open.contains(script)).collect();
    assert!(closed.is_empty(), "{closed:#?}");
}

#[test]
fn what_compares_with_a_masked_column_is_told_to_nobody() {
    let project = Project::over(
        "CREATE TABLE people (id INTEGER, email TEXT, status TEXT); CREATE TABLE orders (id INTEGER, cents INTEGER);
         CREATE TABLE a (c TEXT); CREATE TABLE b (c TEXT); CREATE TABLE d (c TEXT);
         INSERT INTO people VALUES (1, 'ann@example.org', 'new');",
    );
    project.write(
        "jobs.sql",
        "UPDATE people SET status = 'vip' WHERE email = 'SECRET1';
         WITH u AS (SELECT 1 FROM people WHERE email = 'SECRET2') INSERT INTO a SELECT cents FROM orders;
         INSERT INTO b SELECT o.cents FROM orders o, people p, people q WHERE email = 'SECRET3';
         INSERT INTO d SELECT group_concat(cents ORDER BY email = 'SECRET4') FROM orders JOIN people USING (id);
         CREATE TABLE w AS SELECT email = 'SECRET6' FROM people; INSERT INTO b SELECT * FROM w;
         INSERT INTO a SELECT CASE WHEN zz.email = 'SECRET5' THEN cents END FROM orders;
         UPDATE orders SET cents = 0 WHERE id = 7;",
    );
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &config.replace("[model]", "scripts = [\"jobs.sql\"]\n[model]"));
    assert_eq!(project.run(&["index"]).code, 0);
    for table in ["people", "orders", "a", "b", "d"] {
        let told = project.run(&["describe", table]);
        assert_eq!(told.code, 0, "{}", told.stderr);
        assert!(!told.stdout.contains("SECRET") && !told.stdout.contains("only rows where"), "{}", told.stdout);
        assert_eq!(project.run(&["lineage", table]).code, 0);
    }
    std::fs::remove_file(project.path(".periplus/lineage.json")).unwrap();
    let refused = project.run(&["query", "SELECT c FROM d"]);
    assert!(refused.code == 1 && refused.stderr.contains("lineage_unreadable"), "{}", refused.stderr);
    assert_eq!(project.run(&["index"]).code, 0);
}

#[test]
fn what_scripts_write_by_other_names_is_masked_on_postgres() {
    let Some(url) = testkit::server_url("PERIPLUS_TEST_POSTGRES") else { return };
    let made = testkit::database(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT); INSERT INTO people VALUES (1, 'ann@example.org');",
    );
    let mut loaded = testkit::load::load(Box::new(testkit::load::PostgresServer::at(&url)), made.path());
    for sql in [
        "CREATE TABLE parted (a int, b text) PARTITION BY RANGE (a)",
        "CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM (0) TO (100)",
        "CREATE TABLE base (a int, b text)",
        "CREATE VIEW seen AS SELECT a, b FROM base",
        "CREATE TABLE noted (a int, b int)",
        "CREATE TABLE moved (a int, b text)",
        "CREATE TABLE given (a int, b text)",
        "CREATE TABLE plain (a int, b text)",
        "CREATE TABLE warned (a int, b int)",
        "CREATE TABLE filled (a int, b text)",
    ] {
        loaded.execute(sql);
    }
    let project = Project::new();
    project.write(
        "jobs.sql",
        "INSERT INTO part1 SELECT id, email FROM people;
         INSERT INTO seen SELECT id, email FROM ONLY (people);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO noted VALUES (new.id, length(new.email)); RETURN new; END $$;
         CREATE TABLE stage.moved AS SELECT id a, email b FROM people; ALTER TABLE stage.moved SET SCHEMA public;
         CREATE FUNCTION give() RETURNS TABLE (i int, s text) LANGUAGE sql AS $$ SELECT id, email FROM people $$;
         INSERT INTO given SELECT i, s FROM give();
         CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO warned VALUES (1, 1); RETURN new; END $$;
         CREATE TRIGGER long AFTER UPDATE ON people FOR EACH ROW WHEN (length(new.email) > 9) EXECUTE FUNCTION warn();
         DO $$ BEGIN INSERT INTO filled SELECT id, email FROM people WHERE id > {{ first }}; END $$;
         INSERT INTO plain SELECT id, 'x' FROM people WHERE id IN {{ ids }} AND id > %s;",
    );
    project.write(
        "periplus.toml",
        &format!(
            "[[sources]]\nid = \"data\"\ndsn = \"{}\"\nscripts = [\"jobs.sql\"]\n[model]\nprovider = \"none\"\n",
            loaded.dsn()
        ),
    );
    let indexed = project.run(&["index"]);
    assert_eq!(indexed.code, 0, "{}", indexed.stderr);
    for table in ["parted", "base", "seen", "noted", "moved", "given", "warned", "filled"] {
        let refused = project.run(&["query", &format!("SELECT b FROM {table}")]);
        assert!(refused.code == 1 && refused.stdout.contains("masked_column"), "{table}: {}", refused.stdout);
    }
    for open in ["SELECT a, b FROM plain", "SELECT a FROM filled"] {
        assert_eq!(project.run(&["query", open]).code, 0, "{open}");
    }
}

/// What a view shows of a table and asks of it closes nothing in the table itself, whether its text is the database's or a script's.
#[test]
fn a_view_of_a_masked_column_leaves_its_table_as_it_is() {
    let view = "CREATE VIEW active AS SELECT id, full_name FROM person WHERE status = 'active';";
    let table = "CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT, status TEXT); \
                 INSERT INTO person VALUES (1, 'Anna Meier', 'active'), (2, 'Ben Vogel', 'left'), (3, 'Carla Roth', 'active');";
    let project = Project::over(&format!("{table} {view}"));
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    std::fs::create_dir(project.path("schema")).unwrap();
    project.write("schema/views.sql", view);
    for scripts in ["", "scripts = [\"schema\"]\n"] {
        project.write("periplus.toml", &config.replace("[model]", &format!("{scripts}[model]")));
        assert_eq!(project.run(&["index"]).code, 0);
        for (sql, code) in [
            ("SELECT status, count(*) FROM person GROUP BY status", 0),
            ("SELECT id FROM active", 0),
            ("SELECT full_name FROM active", 1),
            ("SELECT full_name FROM person", 1),
        ] {
            assert_eq!(project.run(&["query", sql]).code, code, "{scripts}{sql}: {}", project.run(&["mask"]).stdout);
        }
    }
}
