-- expect: deny(resource_bomb)
-- dialect: mysql
SELECT length(repeat('a', substr('0.400000',3)))
--§
SELECT length(repeat('a', curdate()-19761129))
--§
SELECT length(repeat('a', timestampdiff(microsecond,'2026-01-01','2026-01-02') div 216000))
--§
SELECT length(repeat('a', ord('😀') div 1000))
--§
SELECT length(repeat('a', ~0 div 1000000000000))
--§
SELECT length(repeat('a', cast(-1 as unsigned) div 1000000000000))
--§
SELECT length(repeat('a', cot(0.0000001)))
--§
SELECT length(repeat('a', reverse('0000001')))
--§
SELECT length(repeat('a', substring_index('1.9999999','.',-1)))
--§
SELECT length(repeat('a', log(1.0000001,2)))
