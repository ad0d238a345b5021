-- expect: allow
SELECT DISTINCT status FROM orders ORDER BY status COLLATE NOCASE DESC NULLS LAST LIMIT 5 OFFSET 1
--§
SELECT ALL o.total t, o.status FROM orders o LIMIT 2, 10
--§
SELECT customer_id, sum(total) AS spent FROM orders GROUP BY 1 HAVING spent > 10 ORDER BY 2 DESC
--§
SELECT avg(total) OVER (PARTITION BY customer_id ORDER BY ordered_on ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders
--§
SELECT sum(total) OVER (ORDER BY ordered_on RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM orders
--§
SELECT count(*) OVER (), first_value(total) OVER w, ntile(4) OVER w FROM orders WINDOW w AS (ORDER BY total)
--§
SELECT customer_id FROM orders WHERE (customer_id, status) IN (SELECT customer_id, 'paid' FROM customers)
--§
SELECT * FROM orders WHERE total IS NOT NULL AND details ISNULL OR details NOTNULL
--§
SELECT * FROM orders WHERE total IS 40 OR total IS NOT 80 OR details IS NOT DISTINCT FROM NULL
--§
SELECT * FROM orders WHERE status LIKE 'p\_%' ESCAPE '\' OR status GLOB 'p*' OR NOT status = 'paid'
--§
SELECT 1e3, .5, 0x1F, x'00FF', -1, ~1, 1 << 3, 7 % 2, 5 / 2.0, 'a' || 'b', 1 == 1, 1 != 2, 1 <> 2, NULL, TRUE
--§
SELECT c.full_name, count(o.order_id) FROM customers c LEFT OUTER JOIN orders o ON o.customer_id = c.customer_id AND o.status = 'paid' GROUP BY c.customer_id
--§
SELECT o.order_id, c.full_name FROM orders o RIGHT JOIN customers c USING (customer_id)
--§
SELECT o.order_id, c.full_name FROM orders o FULL OUTER JOIN customers c ON c.customer_id = o.customer_id
--§
SELECT o.order_id FROM (orders o JOIN customers c ON c.customer_id = o.customer_id) JOIN order_lines l ON l.order_id = o.order_id
--§
WITH monthly AS MATERIALIZED (SELECT strftime('%Y-%m', ordered_on) AS month, sum(total) AS revenue FROM orders GROUP BY month), ranked AS NOT MATERIALIZED (SELECT month, revenue, rank() OVER (ORDER BY revenue DESC) AS place FROM monthly) SELECT month, revenue, revenue - lag(revenue) OVER (ORDER BY month) AS change FROM ranked WHERE place <= 3
--§
SELECT j.key, j.value, t.atom FROM orders o, json_each(o.details) AS j, json_tree(o.details) t WHERE j.type <> 'null'
--§
SELECT details -> '$.items' ->> 0, json_extract(details, '$.channel') FROM orders WHERE json_valid(details)
--§
SELECT (SELECT count(*) FROM orders o WHERE o.customer_id = c.customer_id) AS n FROM customers c WHERE n > 0 ORDER BY n
--§
SELECT full_name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)
--§
SELECT full_name FROM customers c WHERE EXISTS (SELECT * FROM orders WHERE orders.customer_id = c.customer_id GROUP BY status HAVING count(*) > 1)
--§
SELECT status, total FROM orders UNION ALL SELECT country, NULL FROM customers ORDER BY 1, total LIMIT 3
--§
SELECT * FROM (SELECT status FROM orders INTERSECT SELECT status FROM orders) EXCEPT SELECT 'paid'
--§
SELECT CASE status WHEN 'paid' THEN total ELSE 0 END, CASE WHEN total > 100 THEN 'big' END AS size FROM orders
--§
SELECT group_concat(full_name, ', ') FROM (SELECT full_name FROM customers ORDER BY full_name)
--§
SELECT group_concat(sku, ',' ORDER BY quantity DESC) FROM order_lines
--§
SELECT date('now', 'start of month', '-1 month'), strftime('%s', 'now'), unixepoch(), datetime(0, 'unixepoch')
--§
SELECT max(total), min(ordered_on), total(total), count(DISTINCT status) FROM orders
--§
SELECT status, max(total) FROM orders GROUP BY status
--§
WITH RECURSIVE tree AS (SELECT employee_id, name, 0 AS depth FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.employee_id, e.name, t.depth + 1 FROM employees e INNER JOIN tree t ON e.manager_id = t.employee_id) SELECT name, depth FROM tree ORDER BY depth, name
--§
WITH a(n) AS (VALUES (1), (2)), b AS (SELECT n * 2 AS m FROM a) SELECT a.n, b.m FROM a JOIN b ON b.m = a.n * 2
--§
SELECT CAST(strftime('%Y', ordered_on) AS INTEGER) AS year, count(*) FROM orders GROUP BY year HAVING count(*) >= 1
--§
SELECT [order_id], `total`, "status" FROM [orders] AS [o]
--§
SELECT total FROM orders WHERE total BETWEEN 10 AND 100 AND status IN ('paid', 'cancelled') AND customer_id % 2 = 1
--§
SELECT e.name AS employee, m.name AS manager FROM employees e, employees m WHERE e.manager_id = m.employee_id
--§
SELECT round(100.0 * sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / count(*), 1) AS share FROM orders
--§
SELECT julianday(max(ordered_on)) - julianday(min(ordered_on)) FROM orders
--§
SELECT count(*) FROM orders WHERE ordered_on >= date('2024-01-01') AND ordered_on < date('2024-01-01', '+1 month')
--§
SELECT o.rowid, o.* FROM orders AS o ORDER BY random() LIMIT 1
--§
SELECT 'it''s', "full_name" AS 'the name' FROM customers
--§
SELECT key FROM json_each('{"a": 1}') -- done
/* really */ ;
