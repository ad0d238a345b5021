-- expect: allow
-- dialect: postgres
SELECT status FROM ONLY orders o JOIN ONLY customers c ON c.customer_id = o.customer_id
--§
SELECT order_id, SUM(total) OVER (ORDER BY order_id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM orders
--§
SELECT order_id FROM orders WHERE details ISNULL AND lower(status) NOTNULL OR (total + 1) ISNULL
