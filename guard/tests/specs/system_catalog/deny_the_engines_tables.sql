-- expect: deny(system_catalog)
SELECT * FROM sqlite_master
--§
SELECT sql FROM sqlite_schema
--§
SELECT name FROM main.sqlite_master
--§
SELECT * FROM "sqlite_master"
--§
SELECT * FROM [sqlite_temp_schema]
--§
SELECT * FROM orders WHERE total > (SELECT count(*) FROM sqlite_sequence)
--§
SELECT * FROM sqlite_stat1
--§
SELECT * FROM dbstat
--§
SELECT * FROM pragma_database_list
