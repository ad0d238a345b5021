-- The active parts of one table with their rows, and the number of the last INSERT that each holds.
SELECT name, rows, max_block_number
FROM system.parts
WHERE database = {database:String} AND table = {table:String} AND active AND rows > 0
ORDER BY name
