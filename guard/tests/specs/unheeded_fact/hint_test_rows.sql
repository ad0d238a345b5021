-- expect: hint(test_rows_included)
-- suggests: NOT (label GLOB 'TEST*')
SELECT sum(beds) FROM hotels
