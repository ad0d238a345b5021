-- expect: allow
SELECT count(*) FROM deliveries WHERE state = 2 AND brought_by <> 'OWN'
--§
SELECT c.label, count(*) FROM deliveries AS d JOIN code_values AS c ON c.code = d.brought_by AND c.domain = 'CARRIER' GROUP BY c.label
