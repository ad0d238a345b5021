-- expect: deny(several_statements)
SELECT 1; SELECT 2
--§
SELECT 1;

;DELETE FROM orders
--§
SELECT 1 /* ; */ ; DROP TABLE orders --
--§
SELECT ';' ; VACUUM
--§
SELECT 1;--
DROP TABLE orders
--§
SELECT 1; PRAGMA writable_schema(1)
--§
SELECT 1
;
ATTACH 'x' AS y
