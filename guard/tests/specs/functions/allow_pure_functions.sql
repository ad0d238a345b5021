-- expect: allow
SELECT strftime('%Y-%m', ordered_on), round(avg(total), 2) FROM orders GROUP BY 1
--§
SELECT julianday('now') - julianday(signed_up) FROM customers
--§
SELECT json_extract(details, '$.channel'), details ->> '$.channel' FROM orders
--§
SELECT value FROM orders, json_each(orders.details, '$.items')
--§
SELECT row_number() OVER (PARTITION BY customer_id ORDER BY total DESC) FROM orders
--§
SELECT group_concat(DISTINCT status), total(total), count(*) FILTER (WHERE total > 50) FROM orders
--§
SELECT coalesce(email, 'none'), iif(is_active, 'yes', 'no'), printf('%.2f', 1.5) FROM customers
--§
SELECT max(total, 10), substr(status, 1, 3) || '-' || upper(status) FROM orders
--§
SELECT lag(total, 1, 0) OVER w FROM orders WINDOW w AS (ORDER BY ordered_on)
--§
SELECT current_date, datetime('now', '-1 day')
--§
SELECT CAST(total AS INTEGER) % 7, abs(-total), instr(status, 'a') FROM orders
