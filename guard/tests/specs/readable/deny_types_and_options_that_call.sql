-- expect: deny(not_understood)
-- dialect: postgres
WITH c(n intruder()) AS (SELECT 1) SELECT n FROM c
--§
EXPLAIN (VERBOSE intruder(), COSTS off) SELECT 1
