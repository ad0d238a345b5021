-- expect: hint(test_rows_included)
-- suggests: label NOT LIKE '%TEST%'
SELECT sum(beds) FROM hotels
