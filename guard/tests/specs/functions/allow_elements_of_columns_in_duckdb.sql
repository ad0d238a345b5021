-- expect: allow
-- dialect: duckdb
SELECT e.tags[1], list_value(e.tags)[1] FROM entries e
--§
SELECT c.country[1:2] FROM customers c
