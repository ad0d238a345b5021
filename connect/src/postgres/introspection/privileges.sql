-- What the role that logged in may do beyond reading, by itself or as a role that it can become. A row for each kind of
-- right: how many things it concerns (sequences apart), one of them by name, and what of it everybody has by PUBLIC, as
-- the words for REVOKE, a tab, and the object.
WITH role AS (
    SELECT * FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
), grantee (oid) AS (
    SELECT oid FROM role UNION ALL SELECT 0::oid -- PUBLIC
), space AS (
    SELECT oid, quote_ident(nspname) AS name, nspowner AS owner, nspacl AS acl
    FROM pg_catalog.pg_namespace
    WHERE nspname <> 'information_schema' AND nspname !~ '^pg_'
), relation AS (
    SELECT
        listed.oid, listed.relowner AS owner, listed.relacl AS acl, listed.relkind = 'S' AS is_sequence,
        space.name AS space_name, space.name || '.' || quote_ident(listed.relname) AS name
    FROM pg_catalog.pg_class AS listed
    JOIN space ON space.oid = listed.relnamespace
    WHERE listed.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
), relation_right AS (
    SELECT relation.*, part.grantee, part.privilege_type, part.is_grantable
    FROM relation
    CROSS JOIN LATERAL aclexplode(relation.acl) AS part
    UNION ALL
    SELECT relation.*, part.grantee, part.privilege_type, part.is_grantable
    FROM pg_catalog.pg_attribute AS of_column
    JOIN relation ON relation.oid = of_column.attrelid
    CROSS JOIN LATERAL aclexplode(of_column.attacl) AS part
    WHERE of_column.attacl IS NOT NULL AND NOT of_column.attisdropped
), routine AS (
    SELECT
        CASE WHEN language.lanpltrusted OR language.lanname IN ('c', 'internal')
            THEN 'reaching_routine' ELSE 'untrusted_routine'
        END AS kind,
        quote_ident(place.nspname) || '.' || quote_ident(made.proname) AS name,
        pg_catalog.pg_get_function_identity_arguments(made.oid) AS arguments,
        coalesce(made.proacl, acldefault('f', made.proowner)) AS acl
    FROM pg_catalog.pg_proc AS made
    JOIN pg_catalog.pg_namespace AS place ON place.oid = made.pronamespace
    JOIN pg_catalog.pg_language AS language ON language.oid = made.prolang
    LEFT JOIN pg_catalog.pg_depend AS brought
        ON brought.classid = 'pg_catalog.pg_proc'::regclass AND brought.objid = made.oid AND brought.deptype = 'e'
            AND brought.refclassid = 'pg_catalog.pg_extension'::regclass
    LEFT JOIN pg_catalog.pg_extension AS extension ON extension.oid = brought.refobjid
    WHERE NOT (language.lanpltrusted OR language.lanname IN ('c', 'internal'))
        OR place.nspname = 'pg_catalog' AND made.proname IN (
            'pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export'
        )
        -- In SQL, and with the caller's rights, nothing can be done that the caller couldn't do.
        OR extension.extname IN ('adminpack', 'aws_lambda', 'aws_s3', 'http', 'pg_net')
            AND (language.lanname <> 'sql' OR made.prosecdef)
        -- What else `dblink` brings needs a connection that only these make.
        OR extension.extname = 'dblink'
            AND made.proname IN ('dblink', 'dblink_exec', 'dblink_connect', 'dblink_connect_u')
), found (kind, is_sequence, name, public) AS (
    -- What roles are by themselves is not inherited, and there for whoever becomes one.
    SELECT held.kind, false, role.rolname::text, NULL
    FROM role
    CROSS JOIN LATERAL (VALUES
        ('superuser', rolsuper),
        ('create_role', rolcreaterole),
        ('create_database', rolcreatedb),
        ('replication', rolreplication),
        ('bypass_row_security', rolbypassrls),
        ('member of ' || rolname, rolname IN (
            'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
            'pg_signal_backend', 'pg_maintain', 'pg_checkpoint', 'pg_create_subscription',
            'rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin'
        ))
    ) AS held (kind, is_held)
    WHERE held.is_held
    UNION ALL
    SELECT 'owner', is_sequence, name, NULL
    FROM relation
    WHERE owner IN (SELECT oid FROM role)
    UNION ALL
    SELECT
        CASE
            WHEN owner IN (SELECT oid FROM role) THEN 'owner'
            WHEN bool_or(privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
                OR is_sequence AND privilege_type = 'USAGE') OVER (PARTITION BY oid) THEN 'write'
            WHEN bool_or(privilege_type <> 'SELECT') OVER (PARTITION BY oid) THEN 'alter'
            ELSE 'grant'
        END,
        is_sequence,
        name,
        CASE WHEN grantee = 0 THEN
            CASE
                WHEN is_sequence THEN 'USAGE, UPDATE ON ALL SEQUENCES'
                WHEN privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
                    THEN 'INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES'
                ELSE privilege_type || ' ON ALL TABLES'
            END || E' IN SCHEMA\t' || space_name
        END
    FROM relation_right
    WHERE (privilege_type <> 'SELECT' OR is_grantable)
        AND grantee IN (SELECT oid FROM grantee)
    UNION ALL
    SELECT
        'create_in_schema', false, space.name,
        CASE WHEN part.grantee = 0 THEN E'CREATE ON SCHEMA\t' || space.name END
    FROM space
    CROSS JOIN LATERAL aclexplode(coalesce(space.acl, acldefault('n', space.owner))) AS part
    WHERE part.privilege_type = 'CREATE' AND part.grantee IN (SELECT oid FROM grantee)
    UNION ALL
    SELECT
        'create_in_database', false, quote_ident(datname),
        CASE WHEN part.grantee = 0 THEN E'CREATE ON DATABASE\t' || quote_ident(datname) END
    FROM pg_catalog.pg_database
    CROSS JOIN LATERAL aclexplode(coalesce(datacl, acldefault('d', datdba))) AS part
    WHERE datname = current_database() AND part.privilege_type = 'CREATE' AND part.grantee IN (SELECT oid FROM grantee)
    UNION ALL
    SELECT
        routine.kind, false, routine.name,
        CASE WHEN part.grantee = 0 THEN E'EXECUTE ON ROUTINE\t' || routine.name || '(' || routine.arguments || ')' END
    FROM routine
    CROSS JOIN LATERAL aclexplode(routine.acl) AS part
    WHERE part.privilege_type = 'EXECUTE' AND part.grantee IN (SELECT oid FROM grantee)
)
SELECT
    kind,
    count(DISTINCT name) FILTER (WHERE NOT is_sequence),
    count(DISTINCT name) FILTER (WHERE is_sequence),
    -- What the role is itself comes first, and so do tables.
    (array_agg(name ORDER BY name <> session_user::text, is_sequence, name COLLATE "C"))[1],
    coalesce(array_agg(DISTINCT public COLLATE "C") FILTER (WHERE public IS NOT NULL), '{}'),
    session_user::text
FROM found
GROUP BY kind
ORDER BY kind COLLATE "C"
