-- expect: allow
SELECT count(*) FROM calls WHERE began_at >= '2024-01-01' AND began_at < '2024-01-07'
--§
SELECT count(*) FROM calls WHERE began_at BETWEEN '2024-01-01' AND '2024-01-06 23:59:59'
--§
SELECT count(*) FROM calls WHERE date(began_at) = '2024-01-06'
--§
SELECT count(*) FROM calls WHERE date(began_at) BETWEEN '2024-01-01' AND '2024-01-06'
--§
SELECT count(*) FROM shifts WHERE held_on BETWEEN '2024-01-01' AND '2024-01-06'
--§
SELECT count(*) FROM shifts WHERE held_on = '2024-01-06'
--§
SELECT count(*) FROM orders WHERE ordered_on <= '2024-02-14'
--§
SELECT count(*) FROM calls WHERE began_at BETWEEN '2024-01-05' AND '2024-01-06'
