-- expect: deny(resource_bomb)
-- rows: orders 100000
-- dialect: postgres
SELECT array_agg(o.details || w) AS q FROM orders o, regexp_split_to_table(o.details, '') w
--§
SELECT string_agg(o.details, w) AS q FROM orders o CROSS JOIN LATERAL unnest(string_to_array(o.details, ' ')) w
