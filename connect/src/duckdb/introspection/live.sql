-- What the relations {wanted}, schema and name by pairs, are at this moment: a row for each, and one for each column.
SELECT schema_name, table_name, false AS is_view, sql, NULL AS column_name, NULL AS data_type, -1 AS place
FROM duckdb_tables()
WHERE database_name = current_database() AND NOT temporary AND (schema_name, table_name) IN ({wanted})
UNION ALL
SELECT schema_name, view_name, true, sql, NULL, NULL, -1
FROM duckdb_views()
WHERE database_name = current_database() AND NOT temporary AND (schema_name, view_name) IN ({wanted})
UNION ALL
SELECT schema_name, table_name, false, NULL, column_name, data_type, column_index
FROM duckdb_columns()
WHERE database_name = current_database() AND (schema_name, table_name) IN ({wanted})
ORDER BY place
