-- expect: deny(function_not_allowed)
-- policy: deny_functions random
SELECT random()
