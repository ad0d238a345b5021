-- expect: deny(resource_bomb)
-- rows: orders 100000
-- dialect: postgres
SELECT array_agg(o.details || w) AS q FROM orders o, regexp_split_to_table(o.details, '') w
--§
SELECT string_agg(o.details, w) AS q FROM orders o CROSS JOIN LATERAL unnest(string_to_array(o.details, ' ')) w
--§
SELECT count(x) AS q FROM (SELECT array_agg(status::char(9000)) AS x FROM (SELECT details FROM orders) d, regexp_split_to_table(details, ' ') status) t
--§
SELECT array_agg(rpad(w, 9000)) AS q FROM orders o, unnest(string_to_array(o.details, NULL)) w
--§
SELECT jsonb_agg(w::char(300000)) AS q FROM orders o, unnest(tsvector_to_array(to_tsvector('simple', o.details))) w
