-- The values of every enum type, in the order in which they compare.
SELECT enumtypid, enumlabel::text
FROM pg_catalog.pg_enum
ORDER BY enumtypid, enumsortorder
