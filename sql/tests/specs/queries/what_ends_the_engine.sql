-- shows: outputs
--§ MariaDB 10.11 ends of a subquery without a table behind IN in HAVING; nobody is to run these.
SELECT name FROM customers HAVING name IN (SELECT name)
--> mysql
-->   effect: EndsTheEngine
-->   output: name = customers.name
--§ Under another name.
SELECT 1 AS y HAVING y NOT IN (SELECT y)
--> mysql
-->   effect: EndsTheEngine
-->   output: y = computed
--§ Behind ALL, over dual.
SELECT total FROM orders HAVING total < ALL (SELECT 1 FROM dual)
--> mysql
-->   effect: EndsTheEngine
-->   output: total = orders.total
--§ Behind ANY, in one part of a union.
SELECT total FROM orders WHERE total = ANY (SELECT 1 UNION SELECT total FROM orders)
--> mysql
-->   effect: EndsTheEngine
-->   output: total = orders.total
--§ In double brackets.
SELECT total FROM orders WHERE total IN ((SELECT 1))
--> mysql
-->   effect: EndsTheEngine
-->   output: total = orders.total
--§ With a table it is a subquery like any other.
SELECT total FROM orders WHERE total IN (SELECT amount FROM payments)
--> mysql
-->   output: total = orders.total
