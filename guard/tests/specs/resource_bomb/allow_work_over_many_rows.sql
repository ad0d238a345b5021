-- expect: allow
-- dialect: duckdb
-- rows: orders 5000000
-- rows: customers 5000000
SELECT count(*) FROM orders o JOIN customers c ON c.customer_id = o.customer_id WHERE levenshtein(o.details, c.full_name) < 3
--§
SELECT max(rpad(status, 40, '.')) || repeat('-', 80) FROM orders
