-- expect: allow
SELECT 1;
--§
;SELECT 1
--§
SELECT ';'
--§
SELECT 1;; -- done
--§
SELECT "a.b" FROM "odd names" -- ; DROP TABLE orders
--§
SELECT 1 /* ; DROP TABLE orders */
