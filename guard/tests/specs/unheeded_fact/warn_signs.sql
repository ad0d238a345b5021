-- expect: warn(several_meanings)
SELECT sum(amount) FROM entries
--§
SELECT avg(weight) FROM entries
