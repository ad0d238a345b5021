-- expect: allow
SELECT 'Zürich – 東京 – مرحبا – 🚀'
--§
SELECT "Ünïcode" FROM "odd names"
--§
SELECT 1	+
1
