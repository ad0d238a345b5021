-- expect: allow
SELECT count(*) FROM orders WHERE ordered_on IS NULL OR ordered_on = ''
--§
SELECT count(*) FROM orders WHERE status <> ''
