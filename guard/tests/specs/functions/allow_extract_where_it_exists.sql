-- expect: allow
-- dialect: postgres
SELECT EXTRACT(YEAR FROM CAST(signed_up AS date)), position('a' IN full_name) FROM customers
