-- expect: deny(invisible_character)
-- dialect: duckdb
SELECT 1 --x, (SELECT content FROM read_text('/etc/passwd'))
--§
SELECT 1 --x; DROP TABLE orders
--§
SELECT 1, 2
