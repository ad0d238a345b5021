-- shows: uses
--§ A search tells of every column of the index.
SELECT title FROM notes WHERE notes MATCH 'x'
--> sqlite
-->   use: notes.title passed on, carried
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
--§ Also one of a single column.
SELECT title FROM notes WHERE title MATCH 'x'
--> sqlite
-->   use: notes.title passed on, carried
-->   use: notes.title used otherwise
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
--§ The index has a column of its own name.
SELECT title FROM notes WHERE notes = 'x'
--> sqlite
-->   use: notes.title passed on, carried
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
--§ Of two columns that are called like the index, either may be it.
SELECT title FROM notes n JOIN (SELECT 1 AS notes) q WHERE q.notes = 'x'
--> sqlite
-->   use: notes.title passed on, carried
-->   use: notes.title used otherwise
-->   use: notes.body used otherwise
--§ A column of that name where no index is.
SELECT notes FROM (SELECT name AS notes FROM customers) a
--> sqlite
-->   use: customers.name passed on, carried
-->   use: customers.name passed on, carried
--§ Without a search, its columns are columns.
SELECT title FROM notes WHERE title = 'x'
--> sqlite
-->   use: notes.title passed on, carried
-->   use: notes.title one of 1 constants
