CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class AS guarded WHERE guarded.relrowsecurity) THEN (
    -- What the relation reads, and as whom: a view reads as its owner, unless it says that it does so as who asks. Views
    -- behind it that have owners of their own say theirs themselves.
    WITH RECURSIVE reader (relation, role) AS (
        SELECT listed.oid, CASE
            WHEN listed.relkind = 'm' OR listed.relkind = 'v' AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_options_to_table(listed.reloptions) AS set
                WHERE set.option_name = 'security_invoker' AND set.option_value::bool
            ) THEN listed.relowner
            ELSE (SELECT role.oid FROM pg_catalog.pg_roles AS role WHERE role.rolname = current_user)
        END
        UNION
        SELECT needed.refobjid, reader.role
        FROM reader
        JOIN pg_catalog.pg_class AS between ON between.oid = reader.relation AND between.relkind IN ('v', 'm')
        JOIN pg_catalog.pg_rewrite AS made ON made.ev_class = between.oid AND made.ev_type = '1'
        JOIN pg_catalog.pg_depend AS needed
            ON needed.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND needed.objid = made.oid
            AND needed.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND needed.refobjid <> between.oid
        WHERE between.oid = listed.oid OR between.relkind = 'v' AND EXISTS (
            SELECT FROM pg_catalog.pg_options_to_table(between.reloptions) AS set
            WHERE set.option_name = 'security_invoker' AND set.option_value::bool
        )
    )
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'name', policy.polname,
        'query', pg_catalog.format(
            'SELECT 1 FROM %I.%I WHERE %s', around.nspname, kept.relname,
            coalesce(pg_catalog.pg_get_expr(policy.polqual, policy.polrelid), 'true')
        ),
        'functions', (
            SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'name', concat(home.nspname, '.', called.proname),
                -- Of the others, nobody knows what they do.
                'query', CASE WHEN spoken.lanname = 'sql' AND called.prosrc <> '' AND called.pronargs = 0
                    AND called.proconfig IS NULL THEN called.prosrc END
            ) ORDER BY called.oid), '[]')
            FROM pg_catalog.pg_depend AS needed
            JOIN pg_catalog.pg_proc AS called ON called.oid = needed.refobjid
            JOIN pg_catalog.pg_namespace AS home ON home.oid = called.pronamespace
            JOIN pg_catalog.pg_language AS spoken ON spoken.oid = called.prolang
            WHERE needed.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND needed.objid = policy.oid
                AND needed.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
        )
    ) ORDER BY kept.oid, policy.oid)::text
    FROM reader
    JOIN pg_catalog.pg_roles AS role ON role.oid = reader.role AND NOT role.rolsuper AND NOT role.rolbypassrls
    JOIN pg_catalog.pg_class AS kept ON kept.oid = reader.relation AND kept.relrowsecurity
        AND (kept.relforcerowsecurity OR NOT pg_catalog.pg_has_role(role.oid, kept.relowner, 'USAGE'))
    JOIN pg_catalog.pg_namespace AS around ON around.oid = kept.relnamespace
    JOIN pg_catalog.pg_policy AS policy ON policy.polrelid = kept.oid AND policy.polcmd IN ('r', '*')
    WHERE 0 = ANY (policy.polroles) OR EXISTS (
        SELECT FROM unnest(policy.polroles) AS meant
        WHERE meant <> 0 AND pg_catalog.pg_has_role(role.oid, meant, 'USAGE')
    )
) END
