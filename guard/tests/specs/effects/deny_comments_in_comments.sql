-- expect: deny(foreign_syntax)
-- dialect: duckdb
SELECT 1 /* /* */ , '*/ , 2 --'
--§
SELECT 1 /* a /* b */ c */
