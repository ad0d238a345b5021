-- What a session of the connector's pool holds that a statement could leave behind. A library that has been loaded, such
-- as that of PL/pgSQL, brings settings along.
SELECT 'setting ' || name, setting FROM pg_settings WHERE name NOT LIKE 'plpgsql.%'
UNION ALL
SELECT 'listens to', string_agg(channel, ' ') FROM pg_listening_channels() AS channel
UNION ALL
SELECT 'cursors', string_agg(name, ' ') FROM pg_cursors WHERE name <> ''
UNION ALL
SELECT 'prepared statements', string_agg(name, ' ') FROM pg_prepared_statements WHERE name !~ '^s[0-9]+$'
UNION ALL
SELECT 'advisory locks', count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
UNION ALL
SELECT 'temporary schema', (pg_my_temp_schema() <> 0)::text
UNION ALL
SELECT 'role', current_user || ' ' || session_user
