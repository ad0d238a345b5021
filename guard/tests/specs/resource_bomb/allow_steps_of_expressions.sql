-- dialect: postgres
-- expect: allow
SELECT max(a) FROM (SELECT a * 2 + 1 AS a FROM (SELECT a * 2 + 1 AS a FROM (SELECT a * 2 + 1 AS a FROM (SELECT a * 2 + 1 AS a FROM (SELECT a * 2 + 1 AS a FROM (SELECT a * 2 + 1 AS a FROM (SELECT total AS a FROM orders) t0) t1) t2) t3) t4) t5) z
--§
WITH b AS (SELECT order_id, total * 1.1 AS gross FROM orders), n AS (SELECT order_id, gross, gross * 0.81 AS net, CASE WHEN gross > 100 THEN gross * 0.9 ELSE gross END AS due FROM b), m AS (SELECT order_id, due - net AS tax, CASE WHEN due > net THEN due - net ELSE net - due END AS gap FROM n) SELECT order_id, tax, gap, CASE WHEN gap > 0 THEN tax / gap END AS share FROM m WHERE gap <> 0 AND tax <> 0 ORDER BY share
