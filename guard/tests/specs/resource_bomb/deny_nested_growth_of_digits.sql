-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT sign((1e65000::numeric - 1) * (1e65000::numeric - 1)) AS q
--§
SELECT sign(power(1e60000::numeric, 2) / (1e60000::numeric - 1)) AS q
--§
SELECT sqrt(1e65000::numeric) AS q
