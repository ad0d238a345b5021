-- expect: allow
-- dialect: postgres
SELECT country, count(*), array_agg(customer_id), string_agg(full_name, ', '), json_agg(full_name) FROM customers GROUP BY ROLLUP (country)
--§
SELECT date_part('day', d), array_agg(d) FROM generate_series('2024-01-01'::date, '2024-12-31'::date, '1 day') d GROUP BY 1
--§
SELECT status, count(*), sum(total) FROM orders GROUP BY CUBE (status, customer_id)
--§
SELECT array_agg(g ORDER BY g), array_agg(g * 2), array_agg(g * 3), array_agg(g * 4) FROM generate_series(1, 2000) g
