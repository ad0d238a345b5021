-- expect: warn(several_tables_meant)
SELECT remark, nights FROM remarks JOIN stays ON stay_id = about_id ORDER BY 1 LIMIT 5
