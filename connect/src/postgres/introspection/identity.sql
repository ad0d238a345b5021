CASE
    WHEN listed.relkind IN ('v', 'm') THEN (
        SELECT string_agg(DISTINCT read.name, ',' ORDER BY read.name)
        FROM pg_catalog.pg_rewrite AS made
        JOIN pg_catalog.pg_depend AS needed
            ON needed.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND needed.objid = made.oid
            AND needed.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND needed.refobjid <> made.ev_class
        JOIN pg_catalog.pg_class AS behind ON behind.oid = needed.refobjid
        JOIN pg_catalog.pg_namespace AS around ON around.oid = behind.relnamespace
        CROSS JOIN LATERAL (SELECT concat(around.nspname, '.', behind.relname) COLLATE "C" AS name) AS read
        WHERE made.ev_class = listed.oid
    )
    ELSE listed.oid::text
END
