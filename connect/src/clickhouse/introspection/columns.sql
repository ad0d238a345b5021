-- Columns of every table in their order. An ephemeral column takes part in INSERTs and can't be read.
SELECT table, name, type, default_kind, default_expression, comment
FROM system.columns
WHERE database = {database:String} AND default_kind <> 'EPHEMERAL'
ORDER BY table, position
