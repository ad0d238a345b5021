-- Indexes that people made, by name, with their columns and expressions.
SELECT schema_name, table_name, index_name, is_unique, CAST(expressions AS VARCHAR[])
FROM duckdb_indexes()
WHERE database_name = current_database() AND NOT is_primary
ORDER BY schema_name, table_name, index_name
