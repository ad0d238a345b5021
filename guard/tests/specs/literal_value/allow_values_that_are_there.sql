-- expect: allow
SELECT count(*) FROM orders WHERE status = 'paid' AND total > 50
--§
SELECT count(*) FROM customers WHERE country IN ('US', 'DE')
--§
SELECT count(*) FROM customers WHERE country LIKE 'u%'
--§
SELECT count(*) FROM orders WHERE lower(status) = 'paid' OR upper(status) = 'PAID'
--§
SELECT count(*) FROM orders WHERE ordered_on >= '2024-02-01' AND ordered_on < '2024-03'
--§
SELECT count(*) FROM orders WHERE status = 'PAID' COLLATE NOCASE
--§
SELECT count(*) FROM customers WHERE email IS NULL AND is_active = 1
--§
SELECT count(*) FROM customers WHERE strftime('%Y', signed_up) = '2023'
