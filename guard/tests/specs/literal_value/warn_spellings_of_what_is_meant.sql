-- expect: warn(value_synonym)
-- rewrite: SELECT count(*) FROM dues WHERE payer_country IN ('Nederland', 'Netherlands')
SELECT count(*) FROM dues WHERE payer_country = 'NL'
