-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT '1'::jsonb @? '$[0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0] ? (@ == 2)' AS q
--§
SELECT jsonb_path_query('1', '$[0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0,0,0]') AS q
--§
SELECT count(*) AS q FROM customers WHERE '1'::jsonb @@ '$[0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0] == 2'
--§
SELECT length(array_to_string(('{' || repeat(repeat('a,', 1000), 10) || 'a}')::char(2000)[], ',')) AS q
--§
SELECT length(('{' || repeat(repeat('1,', 1000), 10) || '1}')::numeric(1000, 999)[]::text) AS q
--§
SELECT length(array_to_string(percentile_disc(array_fill(0.5::float8, ARRAY[900])) WITHIN GROUP (ORDER BY repeat('x', 9000)), '')) AS q
--§
SELECT length(repeat(mode() WITHIN GROUP (ORDER BY repeat('x', 9000)), 900)) AS q
--§
SELECT jsonb_agg(a.g) IS NULL AS p, json_agg(b.g) IS NULL AS q FROM (SELECT g FROM generate_series(1, 100000) g ORDER BY 1 = 1 FETCH FIRST 1 ROW WITH TIES) a, (SELECT g FROM generate_series(1, 100000) g ORDER BY 1 = 1 FETCH FIRST 1 ROW WITH TIES) b
--§
SELECT jsonb_agg(a.s) AS q FROM (SELECT DISTINCT substring('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' FROM g) AS s FROM generate_series(1, 20000) g) a, (SELECT DISTINCT substring('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' FROM g) AS s FROM generate_series(1, 20000) g) b
--§
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT r.n + 1 FROM r, orders o WHERE r.n < 6) SELECT jsonb_agg(n) AS q FROM r
--§
SELECT length(repeat(repeat(round(1, 16383)::text, 60), 1000)) AS q
--§
SELECT length(repeat(trunc(1.5, 16383)::text, 1000)) AS q
--§
SELECT length(repeat((1e-16000)::text, 1000)) AS q
--§
SELECT length(repeat('1e-16383'::numeric::text, 1000)) AS q
--§
SELECT length(repeat(encode(set_byte(repeat('x', 9000)::bytea, 0, 65), 'escape'), 900)) AS q
--§
SELECT length(repeat(avg('1e131000'::numeric)::text, 8000)) AS q
--§
SELECT length(repeat((bit(80000000) '1')::text, 10)) AS q
--§
SELECT char(10000000) 'x' AS q
--§
SELECT length(ts_headline('simple', repeat('a ', 9000), 'a'::tsquery, 'HighlightAll=true,StartSel=' || repeat('x', 9000))) AS q
--§
SELECT length(repeat(repeat('x', 1000), 1000)) AS q
