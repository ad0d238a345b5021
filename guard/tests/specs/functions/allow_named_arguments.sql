-- expect: allow
-- dialect: postgres
SELECT now() - make_interval(days => 5)
