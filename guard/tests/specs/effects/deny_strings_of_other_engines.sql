-- expect: deny(foreign_syntax)
SELECT N'text'
--§
SELECT total FROM 'orders'
