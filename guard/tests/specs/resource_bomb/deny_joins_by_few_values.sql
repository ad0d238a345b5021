-- expect: deny(resource_bomb)
-- rows: orders 1000000
-- dialect: sqlite
SELECT a.details, b.details, count(*) AS q FROM orders a JOIN orders b ON a.status = b.status GROUP BY 1, 2 LIMIT 3
--§
SELECT a.details AS q FROM orders a JOIN orders b ON a.status = b.status ORDER BY a.details, b.details LIMIT 3
--§
SELECT count(*) AS q FROM (SELECT DISTINCT a.details, b.details FROM orders a JOIN orders b ON length(a.details) = length(b.details)) x
--§
SELECT a.details AS q FROM orders a NATURAL JOIN (SELECT status FROM orders) b ORDER BY a.details LIMIT 3
