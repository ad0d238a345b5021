-- Of which of the tables $1 others of them give rows: children that inherit, and what views and materialized views are
-- made from; for a partition, the table that it is a part of.
SELECT place.inhparent, place.inhrelid
FROM pg_catalog.pg_inherits AS place
WHERE place.inhparent = ANY ($1) AND place.inhrelid = ANY ($1)
UNION
SELECT made.ev_class, coalesce(pg_catalog.pg_partition_root(needed.refobjid), needed.refobjid)
FROM pg_catalog.pg_rewrite AS made
JOIN pg_catalog.pg_depend AS needed
    ON needed.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND needed.objid = made.oid
    AND needed.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND needed.refobjid <> made.ev_class
WHERE made.ev_class = ANY ($1) AND made.ev_type = '1'
ORDER BY 1, 2
