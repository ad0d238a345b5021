-- expect: warn(value_format)
-- suggests: 2024-12-31
SELECT count(*) FROM orders WHERE ordered_on BETWEEN '2024-01-01' AND '2024-31-12'
--§
SELECT count(*) FROM orders WHERE ordered_on <= '2024-31-12'
