-- expect: deny(foreign_syntax)
-- dialect: postgres
SELECT E'a'
'\'', pg_read_file($$/etc/hostname$$) --'
--§
SELECT e'a' -- c
'\'', pg_sleep(9) --'
--§
SELECT E'a'   /* c */
'\''; DROP TABLE orders --'
