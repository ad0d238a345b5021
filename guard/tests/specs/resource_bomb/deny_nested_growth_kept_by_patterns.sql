-- expect: deny(resource_bomb)
-- dialect: mysql
SELECT replace(repeat('a', 9000), 'a', repeat('a', 100)) REGEXP '(a|aa)+$' AS q
--§
SELECT regexp_substr(replace(repeat('a', 9000), 'a', repeat('a', 100)), '(a|aa)+$') AS q
