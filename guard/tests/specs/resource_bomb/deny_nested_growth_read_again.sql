-- expect: deny(resource_bomb)
-- dialect: postgres
WITH t AS MATERIALIZED (SELECT replace(repeat('a', 9000), 'a', repeat('a', 300)) AS v) SELECT length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) + length(v::bytea) AS q FROM t
--§
WITH t AS MATERIALIZED (SELECT replace(repeat('a', 9000), 'a', repeat('a', 300)) AS v) SELECT md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) || md5(v) AS q FROM t
