-- expect: warn(double_quoted_string)
-- dialect: mysql
-- suggests: `country`
SELECT "country", count(*) FROM customers GROUP BY country
--§
SELECT customer_id FROM customers WHERE "country" = 'US'
--§
SELECT customer_id FROM customers c ORDER BY "country"
