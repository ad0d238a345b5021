-- expect: deny(bare_word)
-- dialect: postgres
-- suggests: "user"
WITH logins AS (SELECT full_name AS "user" FROM customers) SELECT user, count(*) FROM logins GROUP BY user
--§
SELECT l.country FROM (SELECT country, full_name AS "user" FROM customers) l WHERE user = 'Ada Ray'
--§
SELECT full_name AS "user" FROM customers ORDER BY user
