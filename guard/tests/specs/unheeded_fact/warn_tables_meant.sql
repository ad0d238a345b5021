-- expect: warn(several_tables_meant)
SELECT remark, nights FROM scribbles JOIN sojourns ON sojourn_id = about_id ORDER BY 1 LIMIT 5
