-- expect: deny(resource_bomb)
-- dialect: mysql
SELECT instr(repeat('a', json_value('{"a":400000}','$.a')), concat(repeat('a', json_value('{"a":200000}','$.a')),'b'))
--§
SELECT length(repeat('a', json_value('{"a":16000000}', '$.a')))
--§
SELECT length(lpad('a', timestampdiff(second, '2000-01-01', '2000-06-01'), 'x'))
--§
SELECT length(repeat('a', '16000000 times'))
--§
SELECT length(repeat('a', datediff('9999-01-01', '0001-01-01') * 100))
