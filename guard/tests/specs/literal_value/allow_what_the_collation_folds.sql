-- dialect: mysql
-- expect: allow
SELECT count(*) FROM calls WHERE outcome = 'solved'
