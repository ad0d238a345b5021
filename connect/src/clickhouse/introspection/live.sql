-- What the relations {names} are at this moment: a row for each, with what changes when its definition
-- does, and one for each column.
SELECT
    name,
    'relation' AS what,
    if(engine = 'Dictionary' AND match(create_table_query, '(?i)\\b(QUERY|WHERE|EXPRESSION)\\s'), 'ComputedDictionary', engine) AS engine,
    as_select, concat(toString(uuid), ' ', toString(metadata_modification_time)),
    0 AS place,
    extract(create_table_query, '(?s)\\sTTL\\s(.*\\sGROUP BY\\s.*\\sSET\\s.*)$')
FROM system.tables
WHERE database = {database:String} AND name IN {names}
UNION ALL
SELECT table, 'column', name, type, default_expression, position, ''
FROM system.columns
WHERE database = {database:String} AND table IN {names} AND default_kind <> 'EPHEMERAL'
