-- expect: deny(resource_bomb)
-- rows: customers 20000
-- rows: orders 20000
SELECT length((jsonb_agg(a) FILTER (WHERE a.order_id > -1))::text) FROM orders a, customers b
--§
SELECT jsonb_typeof(jsonb_agg(a)) FROM orders a CROSS JOIN customers b
