-- Key columns of every index of the tables $1. An expression has no column name; its text stands for it. An index is
-- "ordered" where it finds values and their order as the column itself compares them.
SELECT
    listed.indrelid,
    made.relname::text,
    listed.indisprimary,
    listed.indisunique AND listed.indpred IS NULL,
    method.amname = 'btree' AND listed.indpred IS NULL AND part.attnum IS NOT NULL AND class.opcdefault
        AND listed.indcollation[key.place - 1] = part.attcollation,
    key.place,
    part.attname::text,
    CASE WHEN part.attnum IS NULL THEN pg_catalog.pg_get_indexdef(listed.indexrelid, key.place, true) END
FROM pg_catalog.pg_index AS listed
JOIN pg_catalog.pg_class AS made ON made.oid = listed.indexrelid
JOIN pg_catalog.pg_am AS method ON method.oid = made.relam
CROSS JOIN LATERAL generate_series(1, listed.indnkeyatts::int4) AS key (place)
JOIN pg_catalog.pg_opclass AS class ON class.oid = listed.indclass[key.place - 1]
LEFT JOIN pg_catalog.pg_attribute AS part
    ON part.attrelid = listed.indrelid AND part.attnum = listed.indkey[key.place - 1] AND part.attnum <> 0
WHERE listed.indrelid = ANY ($1) AND listed.indisvalid
ORDER BY listed.indrelid, made.relname COLLATE "C", key.place
