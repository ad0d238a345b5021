-- The statements over this database that pg_stat_statements, which is in the schema :schema, has counted most often: not those of
-- the role that asks, and not those inside of others.
SELECT counted.query, counted.calls, pg_catalog.pg_get_userbyid(counted.userid)::text
FROM :schema.pg_stat_statements AS counted
JOIN pg_catalog.pg_database AS here ON here.oid = counted.dbid AND here.datname = pg_catalog.current_database()
WHERE counted.userid <> (SELECT own.oid FROM pg_catalog.pg_roles AS own WHERE own.rolname = current_user)
    AND counted.toplevel AND counted.query IS NOT NULL
ORDER BY counted.calls DESC, counted.queryid
LIMIT 5000
