-- expect: deny(resource_bomb)
-- dialect: sqlite
SELECT length(json_pretty('[[[[[[[[[[1]]]]]]]]]]', printf('%9000s', ''))) AS q
