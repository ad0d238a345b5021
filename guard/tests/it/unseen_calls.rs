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

/// What a type is ordered by is called where a view orders, groups or numbers rows, and no word of the view says so.
#[test]
fn views_over_types_with_an_order_of_their_own_are_not_followed() {
    const PAY: &str = "(SELECT salary FROM employees WHERE employee_id = ($1).k)";
    const OTHER: &str = "(SELECT salary FROM employees WHERE employee_id = ($2).k)";
    let function = |name: &str, result: &str, sign: &str| {
        format!(
            "CREATE FUNCTION {name}(ticket, ticket) RETURNS {result} LANGUAGE sql STABLE AS 'SELECT {PAY} {sign} {OTHER}'"
        )
    };
    let compare = format!(
        "CREATE FUNCTION t_cmp(ticket, ticket) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT sign({PAY} - {OTHER})::int'"
    );
    check(
        &POSTGRES,
        &[
            "CREATE TYPE ticket AS (k int)",
            &function("t_lt", "boolean", "<"),
            &function("t_eq", "boolean", "="),
            &compare,
            "CREATE OPERATOR <<< (LEFTARG = ticket, RIGHTARG = ticket, FUNCTION = t_lt)",
            "CREATE OPERATOR === (LEFTARG = ticket, RIGHTARG = ticket, FUNCTION = t_eq)",
            "CREATE OPERATOR CLASS ticket_order DEFAULT FOR TYPE ticket USING btree AS
             OPERATOR 1 <<< (ticket, ticket), OPERATOR 3 === (ticket, ticket), FUNCTION 1 t_cmp(ticket, ticket)",
            "CREATE TABLE worn (id int PRIMARY KEY, k ticket)",
            "INSERT INTO worn VALUES (1, ROW(1)), (2, ROW(2))",
            "CREATE VIEW ranked AS SELECT id, row_number() OVER (ORDER BY k) AS place FROM worn",
            "CREATE VIEW plain AS SELECT id FROM worn",
        ],
        &[("SELECT id, place FROM ranked", MASKED), ("SELECT count(*) FROM ranked WHERE place = 1", MASKED)],
        &["SELECT id FROM plain", "SELECT id FROM worn"],
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
