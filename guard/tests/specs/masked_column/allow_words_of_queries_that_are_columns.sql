-- expect: allow
-- policy: deny_columns *.select
SELECT "two words" FROM "odd names"
--§
SELECT o."two words" FROM "odd names" AS o WHERE o."two words" IS NOT NULL
