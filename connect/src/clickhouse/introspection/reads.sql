-- Tables that give rows of others, and materialized views, which may write their rows to others: how their engine is
-- called, the statement that makes them, and a row for each table of the database that the server loads before it.
SELECT name, engine, engine_full, create_table_query, loaded.1, loaded.2
FROM (
    SELECT
        name,
        engine,
        engine_full,
        create_table_query,
        arrayJoin(
            arrayConcat(arrayZip(loading_dependencies_database, loading_dependencies_table), [('', '')])
        ) AS loaded
    FROM system.tables
    WHERE database = {database:String}
        AND engine IN ('Merge', 'Buffer', 'Distributed', 'Dictionary', 'Alias', 'MaterializedView', 'WindowView')
)
ORDER BY name, loaded
