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
--§
SELECT a.details AS q FROM orders a JOIN orders b ON a.status = b.status UNION SELECT b.details FROM orders a JOIN orders b ON a.status = b.status LIMIT 3
--§
SELECT count(*) AS q FROM (SELECT a.details || b.details AS x FROM orders a JOIN orders b ON a.status = b.status EXCEPT SELECT details FROM orders) y
--§
SELECT a.id, row_number() OVER (ORDER BY a.details || b.details) AS q FROM orders a JOIN orders b ON a.status = b.status LIMIT 3
