-- expect: warn(unlike_units)
SELECT room FROM room_prices WHERE price > price_cents AND until IS NULL ORDER BY room LIMIT 5
