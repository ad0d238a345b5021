-- The columns that the role may read, by table.
SELECT space.nspname::text, held.relname::text, pg_catalog.array_agg(part.attname::text ORDER BY part.attnum)
FROM pg_catalog.pg_class AS held
JOIN pg_catalog.pg_namespace AS space ON space.oid = held.relnamespace
JOIN pg_catalog.pg_attribute AS part ON part.attrelid = held.oid AND part.attnum > 0 AND NOT part.attisdropped
WHERE held.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND pg_catalog.has_schema_privilege(space.oid, 'USAGE')
    AND pg_catalog.has_column_privilege(held.oid, part.attnum, 'SELECT')
GROUP BY space.nspname, held.relname
