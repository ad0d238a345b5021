-- expect: allow
SELECT SUM(total), AVG(total), COUNT(order_id), MAX(ordered_on), MIN(status) FROM orders
--§
SELECT AVG(is_active) FROM customers
--§
SELECT SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) FROM orders
--§
SELECT AVG(julianday(ordered_on)) FROM orders
