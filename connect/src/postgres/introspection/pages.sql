-- How large the table $1 is in pages, how many rows the last ANALYZE found on one (0 where there was none), and whether
-- the server (14 or later) finds rows by a range of pages.
SELECT
    pg_catalog.pg_relation_size(oid) / pg_catalog.current_setting('block_size')::int8,
    CASE WHEN relpages > 0 AND reltuples > 0 THEN reltuples::float8 / relpages ELSE 0 END,
    pg_catalog.current_setting('server_version_num')::int4 >= 140000
FROM pg_catalog.pg_class
WHERE oid = $1 AND relkind IN ('r', 'm') AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = $1)
