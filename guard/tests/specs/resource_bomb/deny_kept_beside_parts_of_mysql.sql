-- expect: deny(resource_bomb)
-- rows: orders 100000
-- dialect: mysql
SELECT JSON_OBJECTAGG(t.k, o.details) AS q FROM orders o, JSON_TABLE(o.details, '$[*]' COLUMNS (k VARCHAR(64) PATH '$')) t
--§
SELECT JSON_OBJECTAGG(a.order_id, a.details) AS q FROM orders a JOIN orders b ON coalesce(nullif(a.order_id, a.order_id), 1) = coalesce(nullif(b.order_id, b.order_id), 1)
--§
SELECT JSON_OBJECTAGG(a.order_id, a.details) AS q FROM orders a JOIN orders b ON ifnull(nullif(a.order_id, a.order_id), b.order_id) = b.order_id
--§
SELECT JSON_OBJECTAGG(x.n, convert(rpad(x.t, 9900, 'ab') USING utf32)) AS q FROM orders o, JSON_TABLE(o.details, '$.k[*]' COLUMNS (n FOR ORDINALITY, t VARCHAR(100) PATH '$.t')) x
--§
SELECT JSON_OBJECTAGG(x.n, cast(x.t AS binary(9000))) AS q FROM orders o, JSON_TABLE(o.details, '$.k[*]' COLUMNS (n FOR ORDINALITY, t VARCHAR(100) PATH '$.t')) x
