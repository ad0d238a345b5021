-- shows: tables
-- search path: freight
--§ Behind the name of its database a table is the same.
SELECT order_id FROM freight.orders
--> mysql
-->   table: freight.orders = orders
--§ Another database has no such table.
SELECT order_id FROM other.orders
--> mysql
-->   problem: no table other.orders at `other.orders`
-->   table: other.orders = unknown
--§ Our own name for the source is none to the engine.
SELECT order_id FROM spec.orders
--> mysql
-->   problem: no table spec.orders at `spec.orders`
-->   table: spec.orders = unknown
