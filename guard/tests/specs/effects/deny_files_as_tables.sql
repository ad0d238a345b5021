-- expect: deny(external_data)
-- dialect: duckdb
SELECT * FROM 'data.csv'
--§
SELECT * FROM 'https://example.org/a.parquet' t
--§
SELECT * FROM orders JOIN 's3://b/c.json' c ON true
