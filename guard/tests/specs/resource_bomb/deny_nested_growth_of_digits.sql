-- expect: deny(resource_bomb)
-- dialect: postgres
SELECT sign((1e65000::numeric - 1) * (1e65000::numeric - 1)) AS q
--§
SELECT sign(power(1e60000::numeric, 2) / (1e60000::numeric - 1)) AS q
--§
SELECT sqrt(1e65000::numeric) AS q
--§
SELECT x * x * x * x > 1 AS q FROM (SELECT ('1.' || repeat('4', 9900))::numeric AS x) AS t
--§
SELECT n * n > 1 AS q FROM (SELECT power(order_id::numeric, 16000) AS n FROM orders WHERE order_id = 1) AS t
