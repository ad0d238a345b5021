-- expect: warn(value_meaning)
-- suggests: QPS
-- rewrite: SELECT count(*) FROM deliveries WHERE brought_by = 'QPS'
SELECT count(*) FROM deliveries WHERE brought_by = 'quick parcels'
