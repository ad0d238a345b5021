-- expect: deny(resource_bomb)
-- dialect: mysql
SELECT st_distance(st_geomfromtext(concat('LINESTRING(0 0', repeat(',1 1', 100000), ')')), st_geomfromtext(concat('LINESTRING(9 9', repeat(',8 8', 100000), ')')))
--§
SELECT st_within(st_geomfromtext(concat('MULTIPOINT(0 0', repeat(',1 1', 100000), ')')), st_geomfromtext(concat('MULTIPOINT(9 9', repeat(',8 8', 100000), ')')))
