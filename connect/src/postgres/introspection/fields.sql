-- The fields of every composite type that a value of the column `held` can hold: of its own, of an array's items, a domain's
-- base, a range's bounds, and of fields again. They can change under the type's name.
SELECT string_agg(
    concat(
        ' ', CASE WHEN reached.type NOT IN (held.atttypid, declared.typelem) THEN pg_catalog.format_type(reached.type, NULL) || ' ' END,
        '(', listed.fields, ')'
    ), '' ORDER BY reached.type IN (held.atttypid, declared.typelem) DESC, pg_catalog.format_type(reached.type, NULL)
)
FROM pg_catalog.pg_type AS declared
CROSS JOIN LATERAL (
    WITH RECURSIVE reaching (type) AS (
        SELECT declared.oid
        UNION
        SELECT further.type
        FROM reaching
        JOIN pg_catalog.pg_type AS own ON own.oid = reaching.type
        CROSS JOIN LATERAL (
            SELECT own.typbasetype
            UNION ALL
            SELECT own.typelem
            UNION ALL
            SELECT bounds.rngsubtype FROM pg_catalog.pg_range AS bounds WHERE bounds.rngtypid = own.oid
            UNION ALL
            SELECT field.atttypid
            FROM pg_catalog.pg_attribute AS field
            WHERE field.attrelid = own.typrelid AND field.attnum > 0 AND NOT field.attisdropped
        ) AS further (type)
        -- The engine's own types don't change.
        WHERE further.type >= 16384
    )
    SELECT reaching.type FROM reaching
) AS reached
JOIN pg_catalog.pg_type AS composite ON composite.oid = reached.type AND composite.typtype = 'c'
CROSS JOIN LATERAL (
    SELECT string_agg(
        concat(field.attname, ' ', pg_catalog.format_type(field.atttypid, field.atttypmod)), ', ' ORDER BY field.attnum
    ) AS fields
    FROM pg_catalog.pg_attribute AS field
    WHERE field.attrelid = composite.typrelid AND field.attnum > 0 AND NOT field.attisdropped
) AS listed
WHERE declared.oid = held.atttypid
