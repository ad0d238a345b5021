-- expect: warn(level_summed)
SELECT sum(on_hand) FROM stock_days
--§
SELECT shelf, sum(on_hand) FROM stock_days GROUP BY shelf
--§
SELECT sum(on_hand) FROM stock_days WHERE day >= '2024-01-01' AND shelf = 1
--§
SELECT strftime('%Y', day), sum(on_hand) FROM stock_days GROUP BY 1
