-- What the relations $2 of the schemas $1 are at this moment: where $3, also whether another one is meant by the bare
-- name. Words and order are those of tables.sql and columns.sql. In front of them, which of the words $4 are functions that
-- may do anything, as functions.sql says it.
SELECT
    0::bigint,
    ''::text,
    NULL::text,
    false,
    coalesce(array_agg(DISTINCT pg_catalog.lower(made.proname::text)), '{}'),
    '{}'::text[],
    NULL::text,
    '{}'::text[],
    '{}'::text[],
    '{}'::text[],
    NULL::text,
    '{}'::int2[],
    '{}'::text[],
    NULL::text
FROM pg_catalog.pg_proc AS made
JOIN pg_catalog.pg_namespace AS space ON space.oid = made.pronamespace
WHERE made.proname = ANY ($4::name[]) AND space.nspname <> 'pg_catalog'
  AND (space.nspname = ANY (pg_catalog.current_schemas(true)) OR space.nspname = ANY ($4::name[]))
  AND NOT (
      made.provolatile IN ('i', 's') AND made.prokind IN ('f', 'a', 'w') AND NOT made.prosecdef
      AND EXISTS (
          SELECT FROM pg_catalog.pg_depend AS d
          WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = made.oid AND d.deptype = 'e'
      )
  )
UNION ALL
SELECT
    wanted.place,
    listed.relkind::text,
    CASE WHEN listed.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(listed.oid) END,
    wanted.bare AND listed.oid IS DISTINCT FROM pg_catalog.to_regclass(pg_catalog.quote_ident(wanted.name)),
    part.names,
    part.types,
    CASE WHEN listed.relispartition THEN (
        SELECT concat(above.nspname, '.', root.relname)
        FROM pg_catalog.pg_class AS root
        JOIN pg_catalog.pg_namespace AS above ON above.oid = root.relnamespace
        WHERE root.oid = pg_catalog.pg_partition_root(listed.oid)
    ) END,
    CASE WHEN listed.relhassubclass THEN ARRAY(
        WITH RECURSIVE below AS (
            SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = listed.oid
            UNION
            SELECT further.inhrelid FROM pg_catalog.pg_inherits AS further JOIN below ON further.inhparent = below.inhrelid
        )
        SELECT concat(within.nspname, '.', child.relname)
        FROM below
        JOIN pg_catalog.pg_class AS child ON child.oid = below.inhrelid
        JOIN pg_catalog.pg_namespace AS within ON within.oid = child.relnamespace
    ) ELSE '{}' END,
    part.generated,
    part.expressions,
    (:identity),
    part.numbers,
    CASE WHEN listed.relhassubclass THEN ARRAY(
        WITH RECURSIVE below AS (
            SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = listed.oid
            UNION
            SELECT further.inhrelid FROM pg_catalog.pg_inherits AS further JOIN below ON further.inhparent = below.inhrelid
        )
        SELECT below.inhrelid::text FROM below
    ) ELSE '{}' END,
    (:policies)
FROM unnest($1::text[], $2::text[], $3::bool[]) WITH ORDINALITY AS wanted (space, name, bare, place)
JOIN pg_catalog.pg_namespace AS space ON space.nspname = wanted.space::name
JOIN pg_catalog.pg_class AS listed ON listed.relname = wanted.name::name AND listed.relnamespace = space.oid
CROSS JOIN LATERAL (
    SELECT
        coalesce(array_agg(held.attname::text ORDER BY held.attnum), '{}') AS names,
        coalesce(array_agg(held.attnum ORDER BY held.attnum), '{}') AS numbers,
        coalesce(
            array_agg(
                concat(pg_catalog.format_type(held.atttypid, held.atttypmod), CASE WHEN held.atttypid >= 16384 THEN (:fields) END) ORDER BY held.attnum
            ),
            '{}'
        ) AS types,
        coalesce(array_agg(held.attname::text) FILTER (WHERE held.attgenerated <> ''), '{}') AS generated,
        coalesce(
            array_agg(pg_catalog.pg_get_expr(value.adbin, value.adrelid)) FILTER (WHERE held.attgenerated <> ''), '{}'
        ) AS expressions
    FROM pg_catalog.pg_attribute AS held
    LEFT JOIN pg_catalog.pg_attrdef AS value
        ON held.attgenerated <> '' AND value.adrelid = held.attrelid AND value.adnum = held.attnum
    WHERE held.attrelid = listed.oid AND held.attnum > 0 AND NOT held.attisdropped
) AS part
