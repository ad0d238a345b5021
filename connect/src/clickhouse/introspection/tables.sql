-- Tables and views people made in the address's database, by name. What a materialized view or a window view keeps its
-- rows in is a part of the view; what ALTER and CREATE OR REPLACE leave for a moment is nobody's table.
SELECT
    name,
    -- What a dictionary picks or computes, it says in a text of its own.
    if(engine = 'Dictionary' AND match(create_table_query, '(?i)\\b(QUERY|WHERE|EXPRESSION)\\s'), 'ComputedDictionary', engine) AS engine,
    comment,
    as_select,
    sorting_key,
    primary_key,
    partition_key,
    total_rows,
    toString(uuid),
    -- What rows become when their time is over.
    extract(create_table_query, '(?s)\\sTTL\\s(.*\\sGROUP BY\\s.*\\sSET\\s.*)$')
FROM system.tables
WHERE database = {database:String} AND NOT is_temporary AND NOT match(name, '^[.](inner|tmp)')
ORDER BY name
