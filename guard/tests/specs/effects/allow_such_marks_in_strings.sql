-- expect: allow
SELECT '/*! not a comment */'
--§
SELECT full_name || '/*!' FROM customers
