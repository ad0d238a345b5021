-- expect: deny(resource_bomb)
-- dialect: sqlite
SELECT length(hex(zeroblob(unicode(char(1114111)) * 20)))
