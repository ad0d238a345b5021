-- expect: deny(denied_column)
-- policy: deny_columns customers.email
SELECT email FROM customers
--§
SELECT * FROM customers
--§
SELECT full_name FROM customers WHERE email LIKE 'a%'
--§
SELECT count(*) FROM customers GROUP BY email
--§
SELECT 1 FROM customers a JOIN customers b USING (email)
--§
SELECT 1 FROM customers a NATURAL JOIN customers b
--§
SELECT full_name FROM customers ORDER BY customers."EMAIL"
