-- expect: warn(value_format)
-- suggests: 2024-02-15
SELECT count(*) FROM orders WHERE ordered_on >= '15.02.2024'
--§
SELECT count(*) FROM orders WHERE ordered_on BETWEEN '02/15/2024' AND '2024-12-31'
--§
SELECT count(*) FROM orders WHERE date(ordered_on) = '15.02.2024'
