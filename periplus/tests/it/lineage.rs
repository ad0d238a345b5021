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
        "  paid.cents, aggregated in sum(cents) / 100.0 (jobs/night.sql:2)",
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
    project.write("jobs/night.sql", "INSERT INTO revenue (customer) SELECT customer FROM orders;");
    assert_eq!(project.run(&["index"]).code, 0);
    let (_, told) = project.json(&["lineage", "revenue", "--up"]);
    assert_eq!(told["made_from"]["total"], 1, "{told}");
    assert_eq!(told["made_from"]["columns"][0]["from"], "orders.customer");
}

#[test]
fn what_cant_be_read_is_said_and_keeps_nobody_from_the_rest() {
    let project = project();
    let config = std::fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", &config.replace("scripts = ", "dbt = [\"nowhere\"]\nscripts = "));
    let indexed = project.run(&["index"]);
    assert!(indexed.code == 0 && indexed.stdout.contains("there is no dbt manifest in"), "{}", indexed.stdout);
    project.write("jobs/night.sql", &format!("{SCRIPT}INSERT INTO revenue SELECT FROM WHERE;"));
    project.run(&["index"]);
    let (_, told) = project.json(&["lineage"]);
    assert_eq!((told["open"].as_u64(), told["tables"].as_array().map(Vec::len)), (Some(1), Some(2)), "{told}");
    let unknown = project.run(&["lineage", "revenues"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("revenue"), "{}", unknown.stderr);
    let column = project.run(&["lineage", "orders.custome"]);
    assert!(column.stderr.contains("unknown_column") && column.stderr.contains("customer"), "{}", column.stderr);
}
