-- Primary and foreign keys of the tables $1. A key that points at a partitioned table is repeated for each partition
-- (conparentid <> 0).
SELECT
    con.conrelid,
    con.contype::text,
    ARRAY(
        SELECT here.attname::text
        FROM unnest(con.conkey) WITH ORDINALITY AS part (number, place)
        JOIN pg_catalog.pg_attribute AS here ON here.attrelid = con.conrelid AND here.attnum = part.number
        ORDER BY part.place
    ),
    target_space.nspname::text,
    target.relname::text,
    ARRAY(
        SELECT there.attname::text
        FROM unnest(con.confkey) WITH ORDINALITY AS part (number, place)
        JOIN pg_catalog.pg_attribute AS there ON there.attrelid = con.confrelid AND there.attnum = part.number
        ORDER BY part.place
    )
FROM pg_catalog.pg_constraint AS con
LEFT JOIN pg_catalog.pg_class AS target ON target.oid = con.confrelid
LEFT JOIN pg_catalog.pg_namespace AS target_space ON target_space.oid = target.relnamespace
WHERE con.conrelid = ANY ($1) AND con.contype IN ('p', 'f') AND con.conparentid = 0
ORDER BY con.conrelid, con.contype, con.conname COLLATE "C"
