-- Tables that give rows of others: how their engine is called, and a row for each table of the database that the server
-- loads before it.
SELECT name, engine, engine_full, loaded.1, loaded.2
FROM (
    SELECT
        name,
        engine,
        engine_full,
        arrayJoin(
            arrayConcat(arrayZip(loading_dependencies_database, loading_dependencies_table), [('', '')])
        ) AS loaded
    FROM system.tables
    WHERE database = {database:String} AND engine IN ('Merge', 'Buffer', 'Distributed', 'Dictionary')
)
ORDER BY name, loaded
