-- expect: deny(bare_word)
-- dialect: mysql
-- rewrite: SELECT `localtime` FROM (SELECT signed_up AS `localtime` FROM customers) c
SELECT localtime FROM (SELECT signed_up AS `localtime` FROM customers) c
