-- expect: deny(unknown_alias)
SELECT d.n FROM orders o, (SELECT o.total AS n) d
