-- A text that is another one once a table or view of the address's database is.
SELECT toString(count()) || ' ' || toString(sum(cityHash64(name, uuid, metadata_modification_time, create_table_query)))
FROM system.tables
WHERE database = {database:String} AND NOT is_temporary AND NOT match(name, '^[.](inner|tmp)')
