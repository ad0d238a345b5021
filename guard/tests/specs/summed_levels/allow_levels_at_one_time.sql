-- expect: allow
SELECT sum(on_hand) FROM stock_days WHERE day = '2024-01-06'
--§
SELECT day, sum(on_hand) FROM stock_days GROUP BY day
--§
SELECT sum(on_hand) FROM stock_days WHERE day = (SELECT max(day) FROM stock_days)
--§
SELECT sum(on_hand) FROM stock_days WHERE (shelf, day) IN (SELECT shelf, max(day) FROM stock_days GROUP BY shelf)
--§
SELECT avg(on_hand) FROM stock_days
--§
SELECT max(on_hand) FROM stock_days
--§
SELECT sum(sold) FROM stock_days
--§
SELECT sum(quantity) FROM order_lines
