-- Operators and types that call a function which somebody made, where no call is to be seen: 'operator' for those over
-- types of the engine's own, 'type' for what a value can be cast to, 'row' for tables, whose name is also the name of
-- their rows' type, 'shadowed' for casts between types of the engine's own, which it applies by itself.
WITH RECURSIVE made AS (
    SELECT p.oid
    FROM pg_catalog.pg_proc AS p
    WHERE p.oid >= 16384
      AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_depend AS d
          WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
      )
), calling AS (
    SELECT checked.contypid AS oid
    FROM pg_catalog.pg_constraint AS checked
    JOIN pg_catalog.pg_depend AS d
        ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = checked.oid
        AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
    WHERE checked.contypid <> 0 AND d.refobjid IN (SELECT oid FROM made)
    UNION
    SELECT checked.contypid
    FROM pg_catalog.pg_constraint AS checked
    JOIN pg_catalog.pg_depend AS d
        ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = checked.oid
        AND d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
    JOIN pg_catalog.pg_operator AS used ON used.oid = d.refobjid
    WHERE checked.contypid <> 0 AND used.oprcode::pg_catalog.oid IN (SELECT oid FROM made)
    UNION
    SELECT unnest(ARRAY[turned.castsource, turned.casttarget])
    FROM pg_catalog.pg_cast AS turned
    WHERE turned.castfunc IN (SELECT oid FROM made)
    UNION
    SELECT unnest(ARRAY[operator.oprleft, operator.oprright])
    FROM pg_catalog.pg_operator AS operator
    WHERE operator.oprcode::pg_catalog.oid IN (SELECT oid FROM made)
), types AS (
    SELECT oid FROM calling WHERE oid >= 16384
    UNION
    SELECT outer_type.oid
    FROM types
    JOIN pg_catalog.pg_type AS inner_type ON inner_type.oid = types.oid
    JOIN pg_catalog.pg_type AS outer_type
        ON outer_type.typbasetype = types.oid OR outer_type.typelem = types.oid
        OR outer_type.typrelid <> 0 AND EXISTS (
            SELECT FROM pg_catalog.pg_attribute AS part
            WHERE part.attrelid = outer_type.typrelid AND part.atttypid IN (types.oid, inner_type.typarray)
        )
)
SELECT CASE WHEN c.relkind IS NULL OR c.relkind = 'c' THEN 'type' ELSE 'row' END, pg_catalog.lower(t.typname::text)
FROM types
JOIN pg_catalog.pg_type AS t ON t.oid = types.oid
LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
UNION
SELECT 'type', pg_catalog.lower(t.typname::text)
FROM pg_catalog.pg_cast AS turned
JOIN pg_catalog.pg_type AS t ON t.oid = turned.casttarget
WHERE turned.castfunc IN (SELECT oid FROM made)
UNION
SELECT 'shadowed', concat('cast to ', pg_catalog.format_type(turned.casttarget, NULL))
FROM pg_catalog.pg_cast AS turned
WHERE turned.castfunc IN (SELECT oid FROM made) AND turned.castsource < 16384 AND turned.casttarget < 16384
UNION
SELECT 'operator', operator.oprname::text
FROM pg_catalog.pg_operator AS operator
WHERE operator.oprcode::pg_catalog.oid IN (SELECT oid FROM made) AND operator.oprleft < 16384 AND operator.oprright < 16384
ORDER BY 1, 2
