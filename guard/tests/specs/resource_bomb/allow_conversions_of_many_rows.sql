-- expect: allow
-- dialect: postgres
-- rows: orders 2000000
SELECT sum(o.status::text::numeric) AS q FROM orders o
--§
SELECT string_agg(o.status, ',')::jsonb AS q FROM orders o
--§
SELECT string_agg(o.status, ',')::text AS q FROM orders o
--§
SELECT json_agg(o.status)::text AS q FROM orders o
--§
SELECT count(DISTINCT o.status)::int, max(o.status)::varchar(20) AS q FROM orders o
--§
SELECT (array_agg(o.order_id ORDER BY o.order_id DESC))[1]::bigint AS q FROM orders o
--§
SELECT (jsonb_agg(o.details)->0->>'k')::int AS q FROM orders o
--§
SELECT sum(o.total * 1.2 / 3)::numeric(12, 2), power(max(o.total), 2) AS q FROM orders o
