-- Tables and views that people made in the file, by name; the text of each is the statement that makes it.
SELECT schema_name, table_name, false, comment, sql, estimated_size, database_name
FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL
SELECT schema_name, view_name, true, comment, sql, NULL, database_name
FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
ORDER BY 1, 2, 3
