-- Tables and views people made, all or the one that {of} names, with the text that made them and
-- the page where a table begins. Shadow tables hold the
-- insides of virtual ones. Of one, {in_order} keeps the list from being asked for again with each row of the schema.
SELECT listed.name, listed.type, listed.wr, made.sql, made.rootpage
FROM pragma_table_list{of} AS listed
{in_order} JOIN sqlite_schema AS made ON made.name = listed.name AND made.type IN ('table', 'view')
WHERE listed.schema = 'main' AND listed.type <> 'shadow' AND listed.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY listed.name;
