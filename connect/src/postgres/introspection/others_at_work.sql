-- Transactions of others: each holds a lock of this kind from its beginning to its end, which everybody may see. Their state
-- is only told to their own role and to pg_read_all_stats; what is known to wait for its client does no work.
SELECT count(DISTINCT held.pid)
FROM pg_catalog.pg_locks AS held
LEFT JOIN pg_catalog.pg_stat_activity AS activity ON activity.pid = held.pid
WHERE held.locktype = 'virtualxid' AND held.granted
  AND activity.application_name IS DISTINCT FROM pg_catalog.current_setting('application_name')
  AND coalesce(activity.state, 'active') = 'active'
