-- expect: warn(placeholder_included)
-- suggests: (paid_on IS NULL OR paid_on = '1900-01-01')
SELECT count(*) FROM dues WHERE paid_on IS NULL
--§
SELECT sum(amount) FROM dues WHERE amount > 100 AND paid_on IS NULL
