-- The statements over this database that the server has counted most often, by their texts without constants.
SELECT counted.DIGEST_TEXT, CAST(counted.COUNT_STAR AS SIGNED), CAST(UNIX_TIMESTAMP(counted.LAST_SEEN) AS SIGNED)
FROM performance_schema.events_statements_summary_by_digest AS counted
WHERE counted.SCHEMA_NAME = DATABASE() AND counted.DIGEST_TEXT IS NOT NULL
ORDER BY counted.COUNT_STAR DESC, counted.DIGEST
LIMIT 5000
