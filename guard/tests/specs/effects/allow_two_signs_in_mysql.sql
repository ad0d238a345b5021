-- expect: allow
-- dialect: mysql
SELECT 5--3
