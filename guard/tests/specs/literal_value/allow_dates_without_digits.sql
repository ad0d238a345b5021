-- dialect: postgres
-- expect: allow
SELECT count(*) FROM shifts WHERE held_on = 'today'
--§
SELECT count(*) FROM shifts WHERE held_on < 'infinity'
