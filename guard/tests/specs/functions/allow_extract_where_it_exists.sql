-- expect: allow
-- dialect: postgres
SELECT EXTRACT(YEAR FROM signed_up), position('a' IN full_name) FROM customers
