-- expect: deny(resource_bomb)
-- dialect: sqlite
SELECT instr(replace(hex(zeroblob(unicode(char(1114111))*5)),'0','ab'), replace(hex(zeroblob(unicode(char(1114111))*2)),'0','ab')||'c')
