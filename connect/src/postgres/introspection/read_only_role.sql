-- What a role that may read everything here is made from: the quoted names of the database, of the schemas with tables
-- and of whoever made these tables, and the names of roles that begin with $1.
WITH relation AS (
    SELECT quote_ident(space.nspname) AS space_name, quote_ident(owner.rolname) AS owner_name
    FROM pg_catalog.pg_class AS listed
    JOIN pg_catalog.pg_namespace AS space ON space.oid = listed.relnamespace
    JOIN pg_catalog.pg_roles AS owner ON owner.oid = listed.relowner
    WHERE listed.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND space.nspname <> 'information_schema'
        AND space.nspname !~ '^pg_'
        -- What an extension brought along says who may read it itself.
        AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend AS brought
            WHERE brought.classid = 'pg_catalog.pg_class'::regclass
                AND brought.objid = listed.oid
                AND brought.deptype = 'e'
        )
)
SELECT
    quote_ident(current_database()),
    ARRAY(SELECT DISTINCT space_name COLLATE "C" FROM relation ORDER BY 1),
    ARRAY(SELECT DISTINCT owner_name COLLATE "C" FROM relation ORDER BY 1),
    ARRAY(SELECT rolname::text COLLATE "C" FROM pg_catalog.pg_roles WHERE starts_with(rolname, $1) ORDER BY 1)
