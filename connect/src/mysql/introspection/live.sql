SELECT {place}, 'column', held.COLUMN_NAME, held.COLUMN_TYPE, held.ORDINAL_POSITION, held.GENERATION_EXPRESSION
FROM information_schema.COLUMNS AS held
WHERE held.TABLE_SCHEMA = {database} AND held.TABLE_NAME = {table}
UNION ALL
SELECT {place}, 'relation', listed.TABLE_TYPE, listed.ENGINE, 0, UNIX_TIMESTAMP(listed.CREATE_TIME)
FROM information_schema.TABLES AS listed
WHERE listed.TABLE_SCHEMA = {database} AND listed.TABLE_NAME = {table}
UNION ALL
SELECT {place}, 'view', NULL, defined.VIEW_DEFINITION, 0, NULL
FROM information_schema.VIEWS AS defined
WHERE defined.TABLE_SCHEMA = {database} AND defined.TABLE_NAME = {table}
