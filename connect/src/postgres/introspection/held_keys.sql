-- How many of these keys hold at this moment: of the column $3 of the relation $1.$2 that it is unique, or, where $5 isn't
-- empty, that it refers to the column $6 of $4.$5. What is unique in a parent isn't so with the rows of its children.
SELECT count(*)
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS wanted (space, name, field, other_space, other_name, other_field)
JOIN pg_catalog.pg_namespace AS space ON space.nspname = wanted.space::name
JOIN pg_catalog.pg_class AS relation ON relation.relname = wanted.name::name AND relation.relnamespace = space.oid
JOIN pg_catalog.pg_attribute AS field ON field.attrelid = relation.oid AND field.attname = wanted.field::name
WHERE NOT field.attisdropped AND CASE
    WHEN wanted.other_name = '' THEN EXISTS (
        SELECT FROM pg_catalog.pg_index AS i
        WHERE i.indrelid = relation.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
          AND i.indnkeyatts = 1 AND i.indkey[0] = field.attnum
    ) AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_inherits AS h
        JOIN pg_catalog.pg_class AS child ON child.oid = h.inhrelid
        WHERE h.inhparent = relation.oid AND NOT child.relispartition
    )
    ELSE EXISTS (
        SELECT FROM pg_catalog.pg_constraint AS k
        JOIN pg_catalog.pg_class AS other ON other.oid = k.confrelid
        JOIN pg_catalog.pg_namespace AS around ON around.oid = other.relnamespace
        JOIN pg_catalog.pg_attribute AS target ON target.attrelid = other.oid AND target.attname = wanted.other_field::name
        CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (own, referred)
        WHERE k.contype = 'f' AND k.convalidated AND k.conrelid = relation.oid
          AND around.nspname = wanted.other_space::name AND other.relname = wanted.other_name::name
          AND pair.own = field.attnum AND pair.referred = target.attnum
    )
END
