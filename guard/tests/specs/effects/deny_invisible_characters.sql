-- expect: deny(invisible_character)
SELECT 1 ‮ FROM orders
--§
SELECT​1
--§
SELECT '‮' FROM orders
--§
SELECT total⁠ FROM orders
--§
﻿SELECT 1
--§
SELECT 1 -- ⁦
