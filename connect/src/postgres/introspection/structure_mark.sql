-- A text that is another one once a table, view, column, key, index, comment, list of labels or policy of this database is: a row of
-- the catalog that has changed has another xmin.
WITH listed AS (
    SELECT relation.oid, relation.xmin
    FROM pg_catalog.pg_class AS relation
    JOIN pg_catalog.pg_namespace AS home ON home.oid = relation.relnamespace
    WHERE home.nspname NOT LIKE 'pg\_%' AND home.nspname <> 'information_schema'
), parts AS (
    SELECT 'relation' AS kind, oid::text AS name, xmin::text AS version FROM listed
    UNION ALL
    SELECT 'column', part.attrelid::text || ' ' || part.attnum, part.xmin::text
    FROM pg_catalog.pg_attribute AS part JOIN listed ON listed.oid = part.attrelid WHERE part.attnum > 0
    UNION ALL
    SELECT 'key', part.oid::text, part.xmin::text
    FROM pg_catalog.pg_constraint AS part JOIN listed ON listed.oid = part.conrelid
    UNION ALL
    SELECT 'definition', part.oid::text, part.xmin::text
    FROM pg_catalog.pg_rewrite AS part JOIN listed ON listed.oid = part.ev_class
    UNION ALL
    SELECT 'comment', part.objoid::text || ' ' || part.objsubid, part.xmin::text
    FROM pg_catalog.pg_description AS part JOIN listed ON listed.oid = part.objoid
    WHERE part.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
    UNION ALL
    SELECT 'label', part.oid::text, part.xmin::text FROM pg_catalog.pg_enum AS part
    UNION ALL
    SELECT 'policy', part.oid::text, part.xmin::text FROM pg_catalog.pg_policy AS part
)
SELECT pg_catalog.concat(count(*), ' ', sum(pg_catalog.hashtext(pg_catalog.concat_ws(' ', kind, name, version))::bigint))
FROM parts
