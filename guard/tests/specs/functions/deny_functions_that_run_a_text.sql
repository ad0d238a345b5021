-- expect: deny(function_not_allowed)
-- dialect: postgres
SELECT ts_rewrite('a'::tsquery, 'SELECT t, s FROM aliases')
--§
SELECT * FROM ts_stat('SELECT vector FROM t')
