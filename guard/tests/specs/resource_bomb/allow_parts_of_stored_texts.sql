-- expect: allow
-- rows: orders 100000
-- dialect: postgres
SELECT w, count(*) FROM orders o, regexp_split_to_table(o.details, ' ') w GROUP BY w ORDER BY 2 DESC LIMIT 10
--§
SELECT w, array_agg(o.order_id) FROM orders o CROSS JOIN LATERAL unnest(string_to_array(o.details, ',')) w GROUP BY w LIMIT 10
--§
SELECT o.order_id, string_agg(DISTINCT lower(w), ', ') FROM orders o CROSS JOIN LATERAL regexp_split_to_table(o.details, '\s+') w GROUP BY o.order_id LIMIT 10
--§
SELECT order_id, ts_headline('english', details, websearch_to_tsquery('english', 'red wine'), 'StartSel=<mark>, StopSel=</mark>') FROM orders WHERE to_tsvector('english', details) @@ websearch_to_tsquery('english', 'red wine') ORDER BY ts_rank(to_tsvector('english', details), websearch_to_tsquery('english', 'red wine')) DESC LIMIT 5
--§
SELECT o.order_id, ts_headline('simple', o.details, q, 'StartSel=<<, StopSel=>>, MaxFragments=3') FROM orders o, plainto_tsquery('simple', 'river castle') q WHERE to_tsvector('simple', o.details) @@ q ORDER BY ts_rank_cd(to_tsvector('simple', o.details), q) DESC LIMIT 5
--§
SELECT order_id, (SELECT count(*) FROM jsonb_array_elements(details::jsonb -> 'k') e WHERE (e ->> 'a')::int > 900000) FROM orders LIMIT 10
--§
SELECT a.order_id, b.order_id FROM orders a JOIN orders b ON b.order_id = a.order_id + 1 WHERE b.details LIKE '%' || substr(a.details, 1, 12) || '%' LIMIT 10
