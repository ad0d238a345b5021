-- expect: hint(deleted_rows_included)
-- suggests: (gone_flag IS NULL OR gone_flag <> 'X')
SELECT sum(weight) FROM parcels
