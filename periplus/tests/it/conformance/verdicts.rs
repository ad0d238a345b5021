//! What the guard says of statements: the same verdict, the same findings, the same names to use instead.

use serde_json::Value;

use super::engines::{Engine, SQLITE_READS_A_FILE, SQLITE_READS_ITS_TABLES};
use super::{Check, World};

const SECTION: &str = "Verdicts";

/// Statements that every engine is asked about, by what is wrong with them.
const STATEMENTS: &[(&str, &str)] = &[
    ("a write", "UPDATE orders SET status = 'paid' WHERE id = 1"),
    ("a deletion", "DELETE FROM orders"),
    ("a write inside a query", "WITH gone AS (DELETE FROM orders RETURNING id) SELECT id FROM gone"),
    ("a change of the schema", "DROP TABLE orders"),
    ("a new table", "CREATE TABLE copy AS SELECT id FROM orders"),
    ("a table made by a query", "SELECT id INTO copy FROM orders"),
    ("two statements", "SELECT 1; SELECT 2"),
    ("an unknown column", "SELECT totl_cents FROM orders"),
    ("a column of another table", "SELECT segment FROM orders"),
    ("an unknown table", "SELECT id FROM ordrs"),
    ("an ambiguous column", "SELECT id FROM orders JOIN customers ON customers.id = orders.customer_id"),
    ("a locking clause", "SELECT id FROM orders FOR UPDATE"),
    ("a running EXPLAIN", "EXPLAIN ANALYZE SELECT id FROM orders"),
    ("an unknown function", "SELECT frobnicate(id) FROM orders"),
    ("broken syntax", "SELECT id FROM orders WHERE"),
    ("a masked column", "SELECT email FROM customers WHERE id = 1001"),
    ("a value that doesn't exist", "SELECT count(*) FROM orders WHERE channel = 'wbe'"),
    ("another word for a value", "SELECT count(*) FROM orders WHERE country = 'Germany'"),
    ("another case of a value", "SELECT count(*) FROM customers WHERE segment = 'Club'"),
    ("a text compared with a number", "SELECT count(*) FROM orders WHERE total_cents = 'much'"),
    ("an abandoned table", "SELECT count(*) FROM orders_v2"),
    ("a join without a condition", "SELECT count(*) FROM orders, customers"),
    ("nothing", "SELECT channel, count(*) FROM orders GROUP BY channel ORDER BY channel LIMIT 5"),
];

pub(super) fn checks(reference: &World, found: &World, engine: &Engine) -> Vec<Check> {
    let of_engines = [
        ("a function that reads files", SQLITE_READS_A_FILE, engine.reads_a_file),
        ("a table of the engine's own", SQLITE_READS_ITS_TABLES, engine.reads_the_engines_tables),
    ];
    let shared = STATEMENTS.iter().map(|(name, sql)| (*name, *sql, *sql));
    shared
        .chain(of_engines)
        .map(|(name, sql, other_sql)| {
            let mut check = Check::of(SECTION, name);
            // Names alike come from the engine's own functions, which differ.
            let with_suggestions = sql == other_sql && name != "an unknown function";
            check.compare(sql, verdict(reference, sql, with_suggestions), verdict(found, other_sql, with_suggestions));
            check
        })
        .collect()
}

/// The verdict in one line: `refuse: unknown_column (error) try total_cents as SELECT total_cents FROM orders`.
fn verdict(world: &World, sql: &str, with_suggestions: bool) -> String {
    let document = world.json(&["check", sql]);
    let mut findings: Vec<String> = document["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{sql}: {document:#}"))
        .iter()
        .map(|finding| {
            let mut text = format!("{} ({})", word(&finding["code"]), word(&finding["severity"]));
            if with_suggestions {
                let suggestions = finding["suggestions"].as_array().into_iter().flatten().map(word);
                text.push_str(&format!(" try {}", suggestions.collect::<Vec<_>>().join(", ")));
                text.push_str(finding["rewrite"].as_str().map(|sql| format!(" as {sql}")).unwrap_or_default().as_str());
            }
            world.without_schemas(&text)
        })
        .collect();
    findings.sort();
    format!("{}: {}", word(&document["verdict"]), findings.join("; "))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
