//! What PostgreSQL calls and holds without a call or a name in the text: operators, casts, and rows in a column.

use crate::beside_masks::{MASKED, check};
use crate::databases::POSTGRES;

/// Operators and casts that no sign and no name in the text tells of.
#[test]
fn what_postgresql_calls_by_itself_is_looked_for() {
    const PAID: &str = "'SELECT EXISTS (SELECT 1 FROM employees WHERE employee_id = $2 AND salary > 6000)'";
    let equal = format!("CREATE FUNCTION is_paid(date, bigint) RETURNS boolean LANGUAGE sql STABLE AS {PAID}");
    check(
        &POSTGRES,
        &[
            &equal,
            "CREATE OPERATOR = (LEFTARG = date, RIGHTARG = bigint, FUNCTION = is_paid)",
            "CREATE VIEW by_case AS SELECT order_id FROM orders WHERE CASE date '2020-01-01' WHEN order_id THEN true ELSE false END",
        ],
        &[
            ("SELECT order_id FROM orders WHERE nullif(date '2020-01-01', order_id) IS NULL", "function_not_allowed"),
            ("SELECT CASE date '2020-01-01' WHEN order_id THEN 1 END FROM orders", "function_not_allowed"),
            ("SELECT order_id FROM orders WHERE date '2020-01-01' IS DISTINCT FROM order_id", "function_not_allowed"),
            ("SELECT order_id FROM orders WHERE date '2020-01-01' IN (abs(order_id), 0)", "function_not_allowed"),
        ],
        &["SELECT order_id FROM orders WHERE order_id > 3"],
    );
    check(
        &POSTGRES,
        &[
            "CREATE TYPE badge AS (k int)",
            "CREATE FUNCTION pay_of(badge) RETURNS int LANGUAGE sql STABLE AS 'SELECT salary::int FROM employees WHERE employee_id = ($1).k'",
            "CREATE CAST (badge AS int) WITH FUNCTION pay_of(badge) AS IMPLICIT",
            "CREATE TABLE badges (id int PRIMARY KEY, worn badge)",
        ],
        &[
            ("SELECT abs(worn) FROM badges", "function_not_allowed"),
            ("SELECT id, worn * 2 FROM badges", "function_not_allowed"),
        ],
        &["SELECT id FROM badges"],
    );
}

/// A row in a column is what its table's rows are, and a type of several fields tells by their names.
#[test]
fn types_of_several_fields_are_as_closed_as_these() {
    check(
        &POSTGRES,
        &["CREATE TABLE kept (id int PRIMARY KEY, before employees, others employees[])"],
        &[
            ("SELECT before FROM kept", MASKED),
            ("SELECT to_jsonb(before) FROM kept", MASKED),
            ("SELECT others FROM kept", MASKED),
        ],
        &["SELECT id FROM kept"],
    );
}
