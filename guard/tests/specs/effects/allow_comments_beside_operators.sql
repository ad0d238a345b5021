-- expect: allow
-- dialect: postgres
SELECT 'x' || /* and */ 'y' -- 'z'
--§
SELECT total - -1, '--', '/*', "total" -- /* --
FROM orders
