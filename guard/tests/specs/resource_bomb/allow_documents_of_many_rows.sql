-- expect: allow
-- dialect: postgres
-- rows: orders 5000000
-- rows: customers 5000000
SELECT json_build_object('order', o.order_id, 'status', o.status, 'total', o.total, 'on', o.ordered_on, 'details', o.details, 'customer', c.full_name, 'country', c.country, 'since', c.signed_up) FROM orders o JOIN customers c ON c.customer_id = o.customer_id LIMIT 10
--§
SELECT concat_ws(', ', o.status, o.ordered_on, o.details, c.full_name, c.country, c.signed_up, o.status, o.ordered_on, o.details, c.full_name, c.country, c.signed_up, o.status, o.ordered_on, o.details, c.full_name, c.country, c.signed_up, o.status, o.ordered_on) FROM orders o JOIN customers c ON c.customer_id = o.customer_id LIMIT 10
--§
SELECT c.country, jsonb_agg(o.status) FROM orders o JOIN customers c ON c.customer_id = o.customer_id GROUP BY c.country ORDER BY 1
--§
SELECT c.country, jsonb_agg(DISTINCT o.status), jsonb_object_agg(o.order_id, o.total) FROM orders o JOIN customers c ON c.customer_id = o.customer_id GROUP BY c.country
