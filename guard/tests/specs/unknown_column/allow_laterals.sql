-- expect: allow
-- dialect: postgres
SELECT c.full_name, l.n FROM customers c CROSS JOIN LATERAL (SELECT count(*) AS n FROM orders o WHERE o.customer_id = c.customer_id) l
--§
SELECT o FROM orders o
--§
SELECT g FROM generate_series(1, 3) g
--§
SELECT total AS "Sum" FROM orders ORDER BY "Sum"
--§
SELECT u.a FROM unnest(ARRAY[1, 2]) AS u(a)
