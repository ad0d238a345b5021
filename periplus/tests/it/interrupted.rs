//! `index` killed in the middle: the next run continues, and what comes out is what an undisturbed run makes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::project::Project;

/// Everything the catalog holds, by table, without the times at which it was written.
fn contents(catalog: &Path) -> BTreeMap<String, Vec<Value>> {
    let connection = rusqlite::Connection::open(catalog).unwrap();
    let mut contents: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (table, key) in [("tables", "id"), ("profiles", "table_id"), ("descriptions", "table_id")] {
        let mut statement = connection.prepare(&format!("SELECT {key}, body FROM {table} ORDER BY 1")).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let id: String = row.get(0).unwrap();
            let mut body: Value = serde_json::from_str(&row.get::<_, String>(1).unwrap()).unwrap();
            for time in ["profiled_at", "written_at"] {
                if let Some(found) = body.get_mut(time) {
                    *found = Value::Null;
                }
            }
            contents.entry(format!("{table} {id}")).or_default().push(body);
        }
    }
    contents
}

/// Tables that have been profiled, with the time at which each was.
fn profiled_at(catalog: &Path) -> BTreeMap<String, String> {
    let Ok(connection) = rusqlite::Connection::open(catalog) else { return BTreeMap::new() };
    let sql = "SELECT table_id, json_extract(body, '$.profiled_at') FROM profiles";
    let Ok(mut statement) = connection.prepare(sql) else { return BTreeMap::new() };
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

fn shop_project() -> Project {
    let project = Project::new();
    std::fs::copy(testkit::shop(), project.path("shop.sqlite")).unwrap();
    project.write("periplus.toml", "[[sources]]\nid = \"shop\"\ndsn = \"sqlite:shop.sqlite\"\n");
    project
}

#[test]
fn a_killed_run_is_continued_and_ends_the_same() {
    let undisturbed = shop_project();
    assert_eq!(undisturbed.run(&["index"]).code, 0);
    let expected = contents(&undisturbed.path(".periplus/catalog.db"));

    let killed = shop_project();
    let catalog = killed.path(".periplus/catalog.db");
    let mut finished = BTreeMap::new();
    // Three moments: after so many more tables have their profile.
    for more in [3, 7, 6] {
        let mut process = killed.command(&["index"]).stderr(std::process::Stdio::null()).spawn().unwrap();
        let goal = finished.len() + more;
        while process.try_wait().unwrap().is_none() && profiled_at(&catalog).len() < goal {
            std::thread::sleep(Duration::from_millis(2));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let now = profiled_at(&catalog);
        for (table, at) in &finished {
            assert_eq!(now.get(table), Some(at), "{table} was profiled again");
        }
        assert!(now.len() >= goal, "killed too early: {} of {goal}", now.len());
        finished = now;
    }
    assert_eq!(killed.run(&["index"]).code, 0);
    let now = profiled_at(&catalog);
    for (table, at) in &finished {
        assert_eq!(now.get(table), Some(at), "{table} was profiled again");
    }
    let found = contents(&catalog);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (key, body) in &expected {
        assert_eq!(found[key], *body, "{key}");
    }
}
