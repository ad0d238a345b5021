-- expect: warn(total_rows_included)
-- suggests: region <> 'ALL'
SELECT sum(nights) FROM nights_by_region
--§
SELECT year, sum(nights) FROM nights_by_region GROUP BY year
