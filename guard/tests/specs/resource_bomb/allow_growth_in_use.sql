-- expect: allow
-- dialect: postgres
SELECT replace(replace(replace(replace(replace(full_name, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;') FROM customers
--§
SELECT replace(replace(replace(replace(lower(full_name), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ß', 'ss') FROM customers
--§
SELECT country, string_agg(full_name, ', ' ORDER BY full_name) FROM customers GROUP BY country
--§
SELECT jsonb_pretty(jsonb_agg(jsonb_build_object('id', order_id, 'status', status, 'total', total))) FROM orders
--§
SELECT status, count(*), repeat('#', (100 * count(*) / max(count(*)) OVER ())::int) FROM orders GROUP BY status
--§
SELECT repeat('*', quantity) FROM order_lines
--§
WITH RECURSIVE up(id, path) AS (SELECT employee_id, name FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.employee_id, up.path || ' > ' || e.name FROM employees e JOIN up ON e.manager_id = up.id) SELECT path FROM up ORDER BY path
--§
SELECT regexp_replace(regexp_replace(regexp_replace(full_name, '\s+', ' ', 'g'), '[^a-z ]', '', 'g'), '(a)(b)', '\2\1', 'g') FROM customers
--§
SELECT array_to_string(ARRAY(SELECT DISTINCT status FROM orders), ', ')
--§
SELECT d::date FROM generate_series('2024-01-01'::date, '2024-12-31'::date, '1 day') d
--§
SELECT to_char(total, 'FM999,999,990.00'), lpad(order_id::text, 10, '0'), md5(status || ordered_on) FROM orders
