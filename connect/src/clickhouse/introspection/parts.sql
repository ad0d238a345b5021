-- The active parts of one table with their rows.
SELECT name, rows
FROM system.parts
WHERE database = {database:String} AND table = {table:String} AND active AND rows > 0
ORDER BY name
