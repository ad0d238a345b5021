//! Relations of which nobody knows what their rows follow from: even counting them tells of a masked column.

use crate::beside_masks::{MASKED, check};
use crate::databases::{CLICKHOUSE, DUCKDB, MARIADB, POSTGRES};

/// A function may have read a salary, and a partition is one of those with such a salary.
#[test]
fn rows_are_not_counted_where_nobody_knows_what_they_follow_from() {
    check(
        &POSTGRES,
        &[
            "CREATE FUNCTION well_paid() RETURNS SETOF int STABLE LANGUAGE sql AS 'SELECT employee_id FROM employees WHERE salary > 5000'",
            "CREATE VIEW found AS SELECT employee_id FROM employees WHERE employee_id IN (SELECT well_paid())",
            "CREATE MATERIALIZED VIEW kept AS SELECT employee_id FROM found",
            "CREATE TABLE pay (employee_id int, salary int) PARTITION BY RANGE (salary)",
            "CREATE TABLE pay_low PARTITION OF pay FOR VALUES FROM (0) TO (5000)",
            "CREATE VIEW low AS SELECT employee_id FROM pay_low",
        ],
        &[
            ("SELECT count(*) FROM found", MASKED),
            ("SELECT count(*) FROM kept WHERE employee_id = 7", MASKED),
            ("SELECT count(*) FROM low", MASKED),
            ("SELECT EXISTS (SELECT 1 FROM low WHERE employee_id = 7)", MASKED),
            ("SELECT count(*) FROM pay_low", "unknown_table"),
            ("EXPLAIN SELECT count(*) FROM pay", MASKED),
        ],
        &["SELECT count(*) FROM pay", "SELECT count(*) FROM pay WHERE employee_id = 7"],
    );
    check(
        &MARIADB,
        &[
            "CREATE FUNCTION is_well_paid(id int) RETURNS int READS SQL DATA RETURN (SELECT salary > 5000 FROM employees WHERE employee_id = id)",
            "CREATE VIEW found AS SELECT employee_id FROM employees WHERE is_well_paid(employee_id)",
            "CREATE TABLE pay (employee_id int, salary int) PARTITION BY RANGE (salary) (PARTITION p0 VALUES LESS THAN (5000), PARTITION p1 VALUES LESS THAN MAXVALUE)",
            "CREATE VIEW low AS SELECT employee_id FROM pay PARTITION (p0)",
        ],
        &[("SELECT count(*) FROM found", MASKED), ("SELECT count(*) FROM low WHERE employee_id = 7", MASKED)],
        &["SELECT count(*) FROM pay"],
    );
    check(
        &DUCKDB,
        &[
            "CREATE MACRO well_paid() AS TABLE SELECT employee_id FROM employees WHERE salary > 5000",
            "CREATE VIEW found AS SELECT employee_id FROM well_paid()",
        ],
        &[("SELECT count(*) FROM found", MASKED)],
        &["SELECT count(*) FROM employees"],
    );
}

/// Tables that a materialized view fills, itself or through one that hands on what it is given, have the rows that it chooses.
#[test]
fn rows_that_a_view_has_put_into_a_table_are_not_counted() {
    check(
        &CLICKHOUSE,
        &[
            "CREATE TABLE filled (employee_id Int64) ENGINE = MergeTree ORDER BY employee_id",
            "CREATE MATERIALIZED VIEW filling TO filled AS SELECT employee_id FROM employees WHERE salary > 5000",
            "CREATE VIEW of_filled AS SELECT employee_id FROM filled",
            "CREATE TABLE behind (employee_id Int64) ENGINE = MergeTree ORDER BY employee_id",
            "CREATE TABLE handing_on (employee_id Int64) ENGINE = Buffer(currentDatabase(), behind, 1, 10, 100, 10, 100, 1000, 10000)",
            "CREATE MATERIALIZED VIEW handed TO handing_on AS SELECT employee_id FROM employees WHERE salary > 5000",
            "CREATE TABLE apart (employee_id Int64) ENGINE = MergeTree ORDER BY employee_id",
            "CREATE TABLE before_it (employee_id Int64) ENGINE = Buffer(currentDatabase(), apart, 1, 10, 100, 10, 100, 1000, 10000)",
        ],
        &[
            ("SELECT count() FROM filled", MASKED),
            ("SELECT count() FROM of_filled", MASKED),
            ("SELECT count() FROM handing_on", MASKED),
            ("SELECT count() FROM behind WHERE employee_id = 7", MASKED),
        ],
        &["SELECT count() FROM apart", "SELECT count() FROM before_it"],
    );
}
