-- expect: warn(value_synonym)
-- suggests: US
SELECT count(*) FROM customers WHERE country = 'USA'
--§
SELECT count(*) FROM customers WHERE country IN ('FR', 'United States')
--§
SELECT count(*) FROM customers c JOIN orders o ON o.customer_id = c.customer_id WHERE 'u.s.a.' = c.country
--§
WITH a AS (SELECT country AS land FROM customers) SELECT count(*) FROM a WHERE land <> 'America'
--§
SELECT CASE country WHEN 'USA' THEN 1 ELSE 0 END FROM customers
--§
SELECT count(*) FROM (SELECT c.country FROM customers c) q WHERE q.country IS 'USA'
