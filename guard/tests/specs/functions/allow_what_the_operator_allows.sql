-- expect: allow
-- policy: allow_functions st_* my_schema.score
SELECT st_area('x'), my_schema.score(1)
