-- expect: deny(bare_word)
-- rewrite: SELECT "current_date" FROM (SELECT signed_up AS "current_date" FROM customers)
SELECT current_date FROM (SELECT signed_up AS "current_date" FROM customers)
