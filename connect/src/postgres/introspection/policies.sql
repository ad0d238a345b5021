CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class AS guarded WHERE guarded.relrowsecurity) THEN (
    -- What is read with the relation, and as whom. A materialized view was filled by its owner; everything else is asked for
    -- by this role. What a view reads is read as its owner, unless it says that it is read as who asks; what a policy reads is
    -- read as the table is.
    WITH RECURSIVE asker AS (
        SELECT CASE
            WHEN listed.relkind = 'm' THEN listed.relowner
            ELSE (SELECT role.oid FROM pg_catalog.pg_roles AS role WHERE role.rolname = current_user)
        END AS role
    ), reader (relation, role) AS (
        SELECT listed.oid, asker.role FROM asker
        UNION
        SELECT needed.relation, needed.role
        FROM reader
        CROSS JOIN asker
        JOIN pg_catalog.pg_class AS between ON between.oid = reader.relation
        CROSS JOIN LATERAL (
            SELECT found.refobjid, CASE
                WHEN between.relkind = 'v' AND NOT EXISTS (
                    SELECT FROM pg_catalog.pg_options_to_table(between.reloptions) AS set
                    WHERE set.option_name = 'security_invoker' AND set.option_value::bool
                ) THEN between.relowner
                ELSE asker.role
            END
            FROM pg_catalog.pg_rewrite AS made
            JOIN pg_catalog.pg_depend AS found
                ON found.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND found.objid = made.oid
            WHERE made.ev_class = between.oid AND made.ev_type = '1'
                -- Another materialized view has its rows already.
                AND (between.relkind = 'v' OR between.oid = listed.oid)
                AND found.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND found.refobjid <> between.oid
            UNION ALL
            SELECT found.refobjid, reader.role
            FROM pg_catalog.pg_policy AS policy
            JOIN pg_catalog.pg_depend AS found
                ON found.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND found.objid = policy.oid
            WHERE policy.polrelid = between.oid AND between.relrowsecurity AND policy.polcmd IN ('r', '*')
                AND found.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND found.refobjid <> between.oid
        ) AS needed (relation, role)
    )
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'name', coalesce(policy.polname, ''),
        -- Where no policy lets a role see rows, it sees none.
        'query', pg_catalog.format(
            'SELECT 1 FROM %I.%I WHERE %s', around.nspname, kept.relname,
            CASE WHEN policy.oid IS NULL THEN 'false'
                ELSE coalesce(pg_catalog.pg_get_expr(policy.polqual, policy.polrelid), 'true') END
        ),
        'functions', (
            SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'name', concat(home.nspname, '.', called.proname),
                -- Of the others, nobody knows what they do.
                'query', CASE WHEN spoken.lanname = 'sql' AND called.prosrc <> '' AND called.pronargs = 0
                    AND coalesce(called.proconfig, '{}') <@ ARRAY['search_path=""', 'search_path=pg_catalog']
                    THEN called.prosrc END
            ) ORDER BY called.oid), '[]')
            FROM pg_catalog.pg_depend AS needed
            JOIN pg_catalog.pg_proc AS called ON called.oid = needed.refobjid
            JOIN pg_catalog.pg_namespace AS home ON home.oid = called.pronamespace
            JOIN pg_catalog.pg_language AS spoken ON spoken.oid = called.prolang
            WHERE needed.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND needed.objid = policy.oid
                AND needed.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
        )
    ) ORDER BY kept.oid, policy.oid)::text
    FROM (SELECT DISTINCT reader.relation, reader.role FROM reader) AS reader
    JOIN pg_catalog.pg_roles AS role ON role.oid = reader.role AND NOT role.rolsuper AND NOT role.rolbypassrls
    JOIN pg_catalog.pg_class AS kept ON kept.oid = reader.relation AND kept.relrowsecurity
        AND (kept.relforcerowsecurity OR NOT pg_catalog.pg_has_role(role.oid, kept.relowner, 'USAGE'))
    JOIN pg_catalog.pg_namespace AS around ON around.oid = kept.relnamespace
    LEFT JOIN pg_catalog.pg_policy AS policy ON policy.polrelid = kept.oid AND policy.polcmd IN ('r', '*')
        AND (0 = ANY (policy.polroles) OR EXISTS (
            SELECT FROM unnest(policy.polroles) AS meant
            WHERE meant <> 0 AND pg_catalog.pg_has_role(role.oid, meant, 'USAGE')
        ))
) END
