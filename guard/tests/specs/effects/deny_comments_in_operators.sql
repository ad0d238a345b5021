-- expect: deny(foreign_syntax)
-- dialect: postgres
SELECT 'x' ||/*'*/ pg_read_file($$/etc/hostname$$) --'
--§
SELECT 'x' ||--'
total FROM orders --'
--§
SELECT 1 #--2
--§
SELECT 'a' ~~/*'*/ 'b' --'
