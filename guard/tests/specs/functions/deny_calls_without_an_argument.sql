-- expect: deny(missing_argument)
SELECT AVG() FROM orders
--§
SELECT status FROM orders GROUP BY status HAVING MAX() > 3
