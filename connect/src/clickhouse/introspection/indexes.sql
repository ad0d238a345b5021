-- Data-skipping indexes of every table, by name. They don't lead to a value; they let granules be passed over.
SELECT table, name, type, expr
FROM system.data_skipping_indices
WHERE database = {database:String}
ORDER BY table, name
