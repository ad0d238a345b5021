-- expect: warn(aggregate_of_key)
-- suggests: total
SELECT AVG(order_id) FROM orders
--§
SELECT status, SUM(customer_id) FROM orders GROUP BY status
