-- expect: deny(resource_bomb)
-- dialect: sqlite
SELECT length(zeroblob(json_extract('[300000000]', '$[0]')))
--§
SELECT length(zeroblob('[300000000]' ->> 0))
--§
SELECT length(zeroblob(substr('x300000000', 2)))
