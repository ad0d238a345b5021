-- expect: deny(not_understood)
WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT * FROM a
--§
WITH a AS (SELECT * FROM (SELECT * FROM "B") q), b AS (SELECT 1 AS x) SELECT * FROM a
--§
WITH RECURSIVE a AS (SELECT order_id FROM orders WHERE order_id IN (SELECT x FROM b)), b AS (SELECT 1 AS x) SELECT * FROM a
--§
WITH a AS (WITH c AS (SELECT x FROM b) SELECT * FROM c), b AS (SELECT 1 AS x) SELECT * FROM a
