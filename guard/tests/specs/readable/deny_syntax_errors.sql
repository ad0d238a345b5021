-- expect: deny(parse_error)
SELECT FROM WHERE
--§
SELECT * FROM orders WHERE
--§
SELEKT 1
--§
SELECT (1
--§
SELECT 'unclosed
--§
SELECT total FROM orders ORDER total
--§
SELECT 1 FROM orders o JOIN
--§
WITH a AS SELECT 1 SELECT 2
