-- expect: deny(not_a_query)
SHOW TABLES
--§
DESCRIBE orders
