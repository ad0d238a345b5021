-- shows: selections
--§ The rows of a table themselves.
SELECT count(*) FROM orders WHERE status = 'paid'
--> sqlite
-->   selection: orders
--§ A key held at a value is one row.
SELECT * FROM orders WHERE order_id = 17
--> sqlite
-->   selection: orders, of one
--§ Customers say more about orders, each of which has one.
SELECT c.country, sum(o.total) FROM orders o JOIN customers c ON c.customer_id = o.customer_id GROUP BY c.country
--> sqlite
-->   selection: orders
-->   selection: customers, completes others
--§ In a subquery behind IN as well.
SELECT count(*) FROM orders WHERE customer_id IN (SELECT customer_id FROM customers WHERE country = 'US')
--> sqlite
-->   selection: orders
-->   selection: customers, completes others
--§ Orders are completed by their lines' table being the larger one.
SELECT sum(l.quantity) FROM order_lines l JOIN orders o ON o.order_id = l.order_id
--> sqlite
-->   selection: order_lines
-->   selection: orders, completes others
