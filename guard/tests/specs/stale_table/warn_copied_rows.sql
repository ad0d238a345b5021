-- expect: warn(copied_table)
-- suggests: lodgers
SELECT count(*) FROM lodgers_web
