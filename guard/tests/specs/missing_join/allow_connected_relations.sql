-- expect: allow
SELECT o.total FROM orders o, customers c WHERE o.customer_id = c.customer_id
--§
SELECT total FROM orders JOIN customers USING (customer_id)
--§
SELECT total FROM orders NATURAL JOIN customers
--§
SELECT o.total, m.most FROM orders o, (SELECT max(total) AS most FROM orders) m
--§
SELECT o.order_id, j.value FROM orders o, json_each(o.details) j
--§
SELECT count(*) FROM orders o JOIN customers c ON (o.customer_id, 1) = (c.customer_id, 1)
--§
SELECT count(*) FROM orders a JOIN orders b ON a.total < b.total
--§
SELECT count(*) FROM orders o, customers c WHERE EXISTS (SELECT 1 FROM order_lines l WHERE l.order_id = o.order_id AND o.customer_id = c.customer_id)
