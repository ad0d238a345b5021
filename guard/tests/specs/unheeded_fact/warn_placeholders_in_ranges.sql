-- expect: warn(placeholder_included)
SELECT count(*) FROM dues WHERE paid_on IS NOT NULL
--§
SELECT count(*) FROM dues WHERE paid_on < '2024-02-01'
--§
SELECT count(*) FROM dues WHERE paid_on < due_on
--§
SELECT count(*) FROM dues WHERE due_on >= paid_on
--§
SELECT avg(julianday(paid_on) - julianday(issued_on)) FROM dues
--§
SELECT sum(amount * rooms) FROM dues
--§
SELECT count(*) FROM dues WHERE rooms < 3
