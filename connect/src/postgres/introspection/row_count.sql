-- How many rows {table}, which is $1, has: counted up to $2 where it may be small, and the engine's estimate at the
-- density of the last ANALYZE and the size of today. Partitions and children count with their parent.
WITH RECURSIVE member (oid) AS (
    SELECT $1::oid
    UNION ALL
    SELECT child.inhrelid FROM member JOIN pg_catalog.pg_inherits AS child ON child.inhparent = member.oid
), estimate AS (
    SELECT CASE WHEN bool_and(part.reltuples > 0 OR (part.reltuples = 0 AND part.relpages = 0)) THEN sum(
        CASE WHEN part.relkind IN ('r', 'm') AND part.relpages > 0
            THEN part.reltuples::float8 / part.relpages
                * (pg_catalog.pg_relation_size(part.oid) / pg_catalog.current_setting('block_size')::int8)
            ELSE part.reltuples
        END) END AS row_estimate
    FROM member
    JOIN pg_catalog.pg_class AS part ON part.oid = member.oid AND part.relkind IN ('r', 'm', 'f')
)
SELECT
    CASE WHEN row_estimate IS NULL OR row_estimate <= 2 * $2
        THEN (SELECT count(*) FROM (SELECT FROM {table} LIMIT $2 + 1) AS first_rows)
    END,
    round(row_estimate)::int8
FROM estimate
