-- expect: allow
-- dialect: mysql
SELECT TIMESTAMPDIFF(DAY, MIN(ordered_on), MAX(ordered_on)) FROM orders
