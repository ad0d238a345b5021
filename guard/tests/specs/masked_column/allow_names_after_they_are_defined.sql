-- expect: allow
WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT b.x FROM b
--§
WITH a AS (SELECT order_id FROM orders WHERE total > 100), b AS (WITH c AS (SELECT order_id FROM a) SELECT * FROM c) SELECT order_id FROM b
