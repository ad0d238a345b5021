-- Everything in this database that a statement could change, what it could change outside of it, and what a new session
-- sees. Roles and databases of other tests come and go meanwhile.
WITH relations AS (
    SELECT c.*, n.nspname, c.oid::regclass::text AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
)
SELECT 'relation ' || nspname || '.' || relname,
       concat_ws(' ', oid, relkind, relfilenode, relowner, relpersistence, relhastriggers, relrowsecurity, relacl::text)
FROM relations
UNION ALL
SELECT 'rows of ' || name, md5(query_to_xml(format('SELECT ctid, xmin, xmax, t.* FROM %s t ORDER BY ctid', name), true, true, '')::text)
FROM relations WHERE relkind IN ('r', 'm') AND relpersistence <> 't'
UNION ALL
SELECT 'place of ' || name, query_to_xml(format('SELECT last_value, is_called FROM %s', name), true, true, '')::text
FROM relations WHERE relkind = 'S' AND relpersistence <> 't'
UNION ALL
SELECT 'catalog ' || name, md5(query_to_xml(format('SELECT t.* FROM %s t ORDER BY t::text', name), true, true, '')::text)
FROM unnest(ARRAY['pg_aggregate', 'pg_attrdef', 'pg_cast', 'pg_collation', 'pg_constraint', 'pg_default_acl',
    'pg_description', 'pg_enum', 'pg_event_trigger', 'pg_extension', 'pg_foreign_data_wrapper', 'pg_foreign_server',
    'pg_foreign_table', 'pg_language', 'pg_largeobject', 'pg_largeobject_metadata', 'pg_namespace', 'pg_operator',
    'pg_policy', 'pg_proc', 'pg_publication', 'pg_rewrite', 'pg_seclabel', 'pg_sequence', 'pg_statistic_ext',
    'pg_trigger', 'pg_type', 'pg_user_mapping']) AS name
UNION ALL
SELECT 'columns', md5(string_agg(a::text, '' ORDER BY a::text))
FROM pg_attribute a WHERE a.attrelid IN (SELECT oid FROM relations)
UNION ALL
SELECT 'roles', string_agg(r::text, ' ' ORDER BY r::text) FROM pg_authid r WHERE rolname !~ '^periplus_'
UNION ALL
SELECT 'settings of roles and databases', string_agg(s::text, ' ' ORDER BY s::text) FROM pg_db_role_setting s
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND setrole NOT IN (SELECT oid FROM pg_authid WHERE rolname ~ '^periplus_')
UNION ALL
SELECT 'this database', concat_ws(' ', datdba, datallowconn, datconnlimit, datacl::text) FROM pg_database WHERE datname = current_database()
UNION ALL
SELECT 'prepared transactions', string_agg(gid, ' ') FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL
SELECT 'replication slots', string_agg(slot_name, ' ' ORDER BY slot_name) FROM pg_replication_slots
UNION ALL
SELECT 'advisory locks', count(*)::text FROM pg_locks
WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL
SELECT 'configuration files', md5(string_agg(f::text, '' ORDER BY f::text)) FROM pg_file_settings f
UNION ALL
SELECT 'setting ' || name, setting FROM pg_settings
