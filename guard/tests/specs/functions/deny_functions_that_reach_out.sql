-- expect: deny(function_not_allowed)
SELECT load_extension('x')
--§
SELECT LOAD_EXTENSION('x')
--§
SELECT "load_extension"('x')
--§
SELECT [readfile]('/etc/passwd')
--§
SELECT total FROM orders WHERE writefile('a', 'b') > 0
--§
SELECT total FROM orders ORDER BY edit(details)
--§
SELECT total FROM orders GROUP BY fts3_tokenizer('x')
--§
SELECT (SELECT readfile('a'))
--§
SELECT count(*) FILTER (WHERE readfile('a') IS NULL) FROM orders
--§
SELECT sum(total) OVER (ORDER BY readfile('a')) FROM orders
--§
SELECT 1 LIMIT readfile('a')
--§
SELECT * FROM fsdir('/')
--§
SELECT * FROM orders o JOIN zipfile('a.zip') z ON 1 = 1
--§
WITH a AS (SELECT readfile('a')) SELECT 1
--§
SELECT CASE WHEN 1 THEN readfile('a') END
--§
VALUES (readfile('a'))
--§
SELECT total FROM orders WHERE total IN (SELECT readfile('a'))
--§
SELECT total BETWEEN 1 AND readfile('a') FROM orders
--§
SELECT last_insert_rowid()
--§
SELECT sqlite_compileoption_get(1)
