-- Keys and conditions of every table, in the order in which the engine keeps them. A key never leaves its schema.
SELECT
    schema_name,
    table_name,
    constraint_type,
    constraint_name,
    constraint_column_names,
    referenced_table,
    referenced_column_names,
    expression
FROM duckdb_constraints()
WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE', 'CHECK')
ORDER BY schema_name, table_name, constraint_index, constraint_type, constraint_name
