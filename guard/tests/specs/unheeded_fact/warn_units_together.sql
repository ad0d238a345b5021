-- expect: warn(unlike_units)
SELECT sum(price) - sum(price_cents) FROM room_prices WHERE until IS NULL
--§
SELECT sum(price - price_cents) FROM room_prices WHERE until IS NULL
--§
SELECT price FROM room_prices WHERE until IS NULL UNION ALL SELECT price_cents FROM room_prices WHERE until IS NULL ORDER BY 1 LIMIT 5
