-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT jsonb_path_query_array(('[' || repeat('1,', 9000) || '1]')::jsonb, '$[*] ? ($[*] ? ($[*] > 5000) > @)') AS q FROM orders LIMIT 1
--§
SELECT count(*) AS q FROM orders WHERE ('[' || repeat('1,', 9000) || '1]')::jsonb @? '$[*] ? ($[*] ? ($[*] > 5000) > @)'
--§
SELECT count(*) AS q FROM orders WHERE ('[' || repeat('1,', 9000) || '1]')::jsonb @@ ('$[*] ? ($[*]' || ' > @) > 1')::jsonpath
