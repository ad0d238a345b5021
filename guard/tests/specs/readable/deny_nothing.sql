-- expect: deny(empty_statement)
-- only a comment
--§
;;;
--§
/* a */ ; -- b
