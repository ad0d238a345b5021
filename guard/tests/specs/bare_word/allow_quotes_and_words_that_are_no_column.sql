-- expect: allow
-- dialect: postgres
SELECT "user" FROM (SELECT full_name AS "user" FROM customers) l
--§
SELECT l.user FROM (SELECT full_name AS "user" FROM customers) l
--§
SELECT count(*) FROM orders WHERE ordered_on < current_date::text
--§
SELECT current_date AS today
