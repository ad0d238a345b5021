-- expect: deny(denied_column)
-- policy: deny_columns *.select
SELECT "select" FROM "odd names"
--§
SELECT o.select FROM "odd names" AS o
