//! What queries return: statements that every engine takes, with the same rows.

use serde_json::Value;

use super::{Check, World};

const SECTION: &str = "Results";
/// Numbers with a fraction may be apart by this share of them: engines add in different orders and precisions.
const PRECISION: f64 = 1e-6;

/// Statements by what they are about. Each gives its rows an order, or returns one.
const QUERIES: &[(&str, &str)] = &[
    ("counting with a condition on NULL", "SELECT count(*), count(deleted_at) FROM customers WHERE is_test"),
    (
        "joining and grouping",
        "SELECT c.country_code, count(*) AS n, sum(o.total_cents) AS cents FROM orders o JOIN customers c \
         ON c.id = o.customer_id GROUP BY c.country_code ORDER BY n DESC, c.country_code LIMIT 5",
    ),
    (
        "averages of exact numbers",
        "SELECT round(avg(price), 2), min(price), max(price), round(sum(price * 3), 2) FROM products \
         WHERE price > 10.5",
    ),
    (
        "conditions on groups",
        "SELECT carrier, count(*) AS n FROM shipments GROUP BY carrier HAVING count(*) > 2000 ORDER BY carrier",
    ),
    (
        "cases",
        "SELECT CASE WHEN total_cents >= 20000 THEN 'large' WHEN total_cents >= 5000 THEN 'medium' ELSE 'small' END \
         AS size, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1",
    ),
    (
        "rows without a partner",
        "SELECT count(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL",
    ),
    (
        "subqueries",
        "SELECT count(*) FROM products p WHERE NOT EXISTS (SELECT 1 FROM order_items i WHERE i.product_id = p.id) \
         AND p.category_id IN (SELECT id FROM categories WHERE parent_id IS NOT NULL)",
    ),
    (
        "unions",
        "SELECT 'now' AS part, count(*) AS n FROM orders UNION ALL \
         SELECT 'before', count(*) FROM orders_archive ORDER BY part",
    ),
    (
        "windows",
        "SELECT tier, name, rank() OVER (PARTITION BY tier ORDER BY price_cents DESC, name) AS place FROM plans \
         ORDER BY tier, place LIMIT 10",
    ),
    (
        "recursion",
        "WITH RECURSIVE tree AS (SELECT id, 1 AS depth FROM categories WHERE parent_id IS NULL UNION ALL \
         SELECT c.id, tree.depth + 1 FROM categories c JOIN tree ON c.parent_id = tree.id WHERE tree.depth < 5) \
         SELECT depth, count(*) AS n FROM tree GROUP BY depth ORDER BY depth",
    ),
    (
        "days and moments",
        "SELECT min(hired_on), max(left_on), (SELECT max(ordered_at) FROM orders WHERE ordered_at < '2026-06-01') \
         FROM employees WHERE hired_on >= '2020-01-01'",
    ),
    ("patterns", "SELECT count(*) FROM products WHERE lower(name) LIKE '%tent%'"),
    ("texts with other letters", "SELECT name FROM warehouses WHERE name LIKE 'Malm%'"),
    ("true and false", "SELECT is_gift, count(*) AS n FROM orders GROUP BY is_gift ORDER BY is_gift"),
    ("documents", "SELECT attributes FROM products WHERE attributes IS NOT NULL ORDER BY id LIMIT 3"),
    ("pages", "SELECT code, name FROM countries ORDER BY code LIMIT 3 OFFSET 4"),
    (
        "a view",
        "SELECT channel, sum(orders) AS n FROM monthly_sales WHERE month >= '2026-01' GROUP BY channel \
         ORDER BY channel",
    ),
    ("upper and lower case", "SELECT count(*) FROM orders WHERE status = 'shipped'"),
    ("the place of NULL", "SELECT manager_id FROM employees ORDER BY manager_id LIMIT 1"),
    ("division of whole numbers", "SELECT 7 / 2"),
];

pub(super) fn checks(reference: &World, found: &World) -> Vec<Check> {
    QUERIES
        .iter()
        .map(|(name, sql)| {
            let mut check = Check::of(SECTION, *name);
            let (one, other) = (rows(reference, sql), rows(found, sql));
            let same = match (&one, &other) {
                (Ok(one), Ok(other)) => {
                    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
                }
                _ => false,
            };
            if !same {
                let text = |rows: Result<Vec<Vec<Value>>, String>| {
                    rows.map_or_else(|it| it, |it| Value::from_iter(it).to_string())
                };
                check.compare(sql, text(one), text(other));
            }
            check
        })
        .collect()
}

/// The rows of a statement, or why it is refused.
fn rows(world: &World, sql: &str) -> Result<Vec<Vec<Value>>, String> {
    let document = world.json(&["query", sql]);
    match document["result"]["rows"].as_array() {
        Some(rows) => Ok(rows.iter().map(|row| row.as_array().cloned().unwrap_or_default()).collect()),
        None => {
            let findings = document["findings"].as_array().unwrap_or_else(|| panic!("{sql}: {document:#}"));
            let messages: Vec<&str> = findings.iter().filter_map(|finding| finding["message"].as_str()).collect();
            Err(format!("refused: {}", messages.join("; ")))
        }
    }
}

fn alike(one: &[Value], other: &[Value]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
}

/// Whether two cells say the same: numbers by their value, also where one engine writes them as text, and true as 1.
fn equal(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => (one - other).abs() <= PRECISION * one.abs().max(other.abs()),
        _ => one == other,
    }
}
