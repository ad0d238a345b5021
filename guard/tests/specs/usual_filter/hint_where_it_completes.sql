-- expect: hint(usual_filter)
-- suggests: closed_on IS NULL
SELECT i.name, sum(c.amount) FROM claims c JOIN insurers i ON i.insurer_id = c.insurer_id WHERE c.state <> 'withdrawn' GROUP BY i.name
