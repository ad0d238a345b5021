-- Tables and views people made, by name. A partition is a part of its parent, which is the only one listed; its rows
-- count there. What an extension brought along is not the user's data.
WITH RECURSIVE member (root, oid) AS (
    SELECT oid, oid FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'm') AND NOT relispartition
    UNION ALL
    SELECT member.root, child.inhrelid
    FROM member
    JOIN pg_catalog.pg_inherits AS child ON child.inhparent = member.oid
), stored AS (
    SELECT
        member.root,
        CASE WHEN bool_and(leaf.reltuples >= 0) THEN sum(leaf.reltuples) END AS row_estimate,
        sum(
            pg_catalog.pg_stat_get_tuples_inserted(leaf.oid)
            + pg_catalog.pg_stat_get_tuples_updated(leaf.oid)
            + pg_catalog.pg_stat_get_tuples_deleted(leaf.oid)
        ) AS rows_written,
        -- TRUNCATE and rewrites give a table another file.
        pg_catalog.md5(string_agg(
            concat_ws(' ', leaf.oid, leaf.relfilenode,
                pg_catalog.pg_stat_get_last_analyze_time(leaf.oid),
                pg_catalog.pg_stat_get_last_autoanalyze_time(leaf.oid)),
            ',' ORDER BY leaf.oid
        )) AS epoch,
        array_agg(leaf.oid::text ORDER BY leaf.oid) FILTER (WHERE leaf.oid <> member.root) AS parts
    FROM member
    JOIN pg_catalog.pg_class AS leaf ON leaf.oid = member.oid AND leaf.relkind <> 'p'
    GROUP BY member.root
), partitions AS (
    SELECT
        member.root,
        array_agg(space.nspname::text ORDER BY member.oid) AS schemas,
        array_agg(part.relname::text ORDER BY member.oid) AS names
    FROM member
    JOIN pg_catalog.pg_class AS part ON part.oid = member.oid AND part.relispartition
    JOIN pg_catalog.pg_namespace AS space ON space.oid = part.relnamespace
    GROUP BY member.root
)
SELECT
    listed.oid,
    space.nspname::text,
    listed.relname::text,
    listed.relkind::text,
    pg_catalog.obj_description(listed.oid, 'pg_class'),
    CASE WHEN listed.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(listed.oid) END,
    -- -1 is "unknown"; before PostgreSQL 14 that was 0, as it is for a table that was found empty.
    round(CASE
        WHEN listed.relkind = 'p' THEN stored.row_estimate
        WHEN listed.relkind IN ('r', 'm', 'f') AND listed.reltuples > 0 THEN listed.reltuples
    END)::int8,
    -- Automatic ANALYZE follows many changes; a manual one follows nothing.
    extract(epoch FROM pg_catalog.pg_stat_get_last_autoanalyze_time(listed.oid))::int8,
    stored.rows_written::int8,
    -- Counting begins anew when somebody resets it.
    stored.epoch || coalesce(' ' || pg_catalog.pg_stat_get_db_stat_reset_time(reset.oid), ''),
    (:identity),
    coalesce(stored.parts, '{}'),
    (:policies),
    coalesce(partitions.schemas, '{}'),
    coalesce(partitions.names, '{}')
FROM pg_catalog.pg_class AS listed
JOIN pg_catalog.pg_namespace AS space ON space.oid = listed.relnamespace
LEFT JOIN stored ON stored.root = listed.oid
LEFT JOIN partitions ON partitions.root = listed.oid
LEFT JOIN pg_catalog.pg_database AS reset ON reset.datname = pg_catalog.current_database()
WHERE listed.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT listed.relispartition
    AND space.nspname <> 'information_schema'
    AND space.nspname !~ '^pg_'
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS brought
        WHERE brought.classid = 'pg_catalog.pg_class'::regclass
            AND brought.objid = listed.oid
            AND brought.deptype = 'e'
    )
ORDER BY space.nspname COLLATE "C", listed.relname COLLATE "C"
