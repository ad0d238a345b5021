-- Tables that give rows of others: how their engine is called, and a row for each table of the database that the server
-- loads before it; and tables that a materialized view writes TO.
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
    UNION ALL
    SELECT
        trim(
            BOTH '`' FROM extract(
                create_table_query,
                '^CREATE MATERIALIZED VIEW [^(]*? TO (?:(?:`[^`]+`|[^`. ]+)[.])?(`[^`]+`|[^`( ]+)'
            )
        ) AS target,
        engine,
        '',
        (database, name)
    FROM system.tables
    WHERE database = {database:String} AND engine = 'MaterializedView' AND target <> ''
)
ORDER BY name, loaded
