-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT count(*) AS q FROM orders WHERE jsonb_path_match(('{"k":[' || repeat('1,', 9000) || '1],"v":[' || repeat('2,', 9000) || '2]}')::jsonb, '$.k == $.v')
