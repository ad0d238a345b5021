-- What ANALYZE found of the columns $4 of the table $3 in the schema $2, which is $1, as long as no more than $5 of its
-- rows were written since. Partitions and children count with their parent; a partitioned table is analysed by hand only,
-- so its own figure has to fit what its partitions say.
WITH RECURSIVE member (oid) AS (
    SELECT $1::oid
    UNION ALL
    SELECT child.inhrelid FROM member JOIN pg_catalog.pg_inherits AS child ON child.inhparent = member.oid
), state AS (
    SELECT
        bool_and(part.reltuples > 0 OR (part.reltuples = 0 AND part.relpages = 0)) AS is_known,
        sum(pg_catalog.pg_stat_get_mod_since_analyze(part.oid)) AS rows_written,
        sum(CASE WHEN part.relpages > 0
            THEN part.reltuples::float8 / part.relpages
                * (pg_catalog.pg_relation_size(part.oid) / pg_catalog.current_setting('block_size')::int8)
            ELSE part.reltuples
        END) AS row_estimate
    FROM member
    JOIN pg_catalog.pg_class AS part ON part.oid = member.oid AND part.relkind IN ('r', 'm')
)
SELECT
    known.attname::text,
    known.null_frac::float8,
    known.n_distinct::float8,
    known.most_common_vals::text::text[],
    known.most_common_freqs::float8[],
    known.histogram_bounds::text::text[],
    round(state.row_estimate)::int8,
    -- ANALYZE looks at 300 rows for each step of its target.
    least(300 * pg_catalog.current_setting('default_statistics_target')::int8, round(state.row_estimate)::int8),
    state.rows_written::int8
FROM state
JOIN pg_catalog.pg_class AS root ON root.oid = $1
JOIN pg_catalog.pg_stats AS known
    ON known.schemaname = $2 AND known.tablename = $3 AND known.attname = ANY ($4)
    AND known.inherited = EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = $1)
WHERE state.is_known
    AND state.rows_written <= $5 * state.row_estimate
    AND (root.relkind <> 'p' OR abs(root.reltuples - state.row_estimate) <= $5 * state.row_estimate)
ORDER BY known.attname
