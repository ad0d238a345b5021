-- expect: allow
-- dialect: postgres
SELECT e.tags[1], e.tags[1:2] FROM entries e WHERE e.tags[1] = 'new'
--§
SELECT entries.tags[1] FROM entries
--§
SELECT c.country[1] FROM customers c
