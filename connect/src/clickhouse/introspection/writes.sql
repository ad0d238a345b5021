-- What the active parts of every table of the MergeTree family tell of its writes: when the newest part was written, and
-- a mark made, for each partition, of its highest block number (INSERT, REPLACE, ATTACH), its latest mutation and its
-- rows (DROP PARTITION, TTL, replaced rows). A merge changes none of these where it changes no rows.
SELECT
    table,
    toUnixTimestamp(max(newest)),
    hex(sipHash64(toString(arraySort(groupArray((partition_id, last_block, last_mutation, partition_rows))))))
FROM (
    SELECT
        table,
        partition_id,
        max(modification_time) AS newest,
        max(max_block_number) AS last_block,
        -- The fifth part of a part's name; what has not been changed has none.
        max(toUInt64OrZero(splitByChar('_', name)[5])) AS last_mutation,
        sum(rows) AS partition_rows
    FROM system.parts
    WHERE database = {database:String} AND active
    GROUP BY table, partition_id
)
GROUP BY table
ORDER BY table
