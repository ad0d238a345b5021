-- shows: restrictions
--§ One value.
SELECT 1 FROM orders WHERE status = 'paid'
--> sqlite
-->   restriction: orders.status one of 'paid'
--§ The same from the other side, beside another condition.
SELECT 1 FROM orders WHERE 'paid' = status AND total > 0
--> sqlite
-->   restriction: orders.status one of 'paid'
-->   restriction: orders.total > 0
--§ All but some.
SELECT 1 FROM orders WHERE status NOT IN ('cancelled', 'test')
--> sqlite
-->   restriction: orders.status none of 'cancelled', 'test'
--§ All but some, and those without a value.
SELECT 1 FROM orders o WHERE (o.status IS NULL OR o.status <> 'cancelled')
--> sqlite
-->   restriction: orders.status none of 'cancelled'
--§ Two alternatives are one list.
SELECT 1 FROM orders WHERE status = 'paid' OR status = 'sent'
--> sqlite
-->   restriction: orders.status one of 'paid', 'sent'
--§ NOT turns it around.
SELECT 1 FROM orders WHERE NOT (status = 'paid' OR status = 'sent')
--> sqlite
-->   restriction: orders.status none of 'paid', 'sent'
--§ Alternatives over two columns say nothing of one.
SELECT 1 FROM orders WHERE status = 'paid' OR total = 3
--> sqlite
--§ In any case.
SELECT 1 FROM orders WHERE lower(trim(status)) <> 'cancelled'
--> sqlite
-->   restriction: orders.status none of 'cancelled', in any case
--§ Without a value, and with one.
SELECT 1 FROM orders WHERE details IS NULL AND ordered_on IS NOT NULL
--> sqlite
-->   restriction: orders.details null
-->   restriction: orders.ordered_on not null
--§ In one word, and under a name that is the word.
SELECT ordered_on ISNULL AS isnull FROM orders WHERE details ISNULL AND ordered_on NOTNULL
--> postgres, sqlite
-->   restriction: orders.details null
-->   restriction: orders.ordered_on not null
--§ A column alone, and one that isn't.
SELECT 1 FROM customers WHERE is_active
--> sqlite
-->   restriction: customers.is_active one of true
--§ What isn't so.
SELECT 1 FROM customers WHERE NOT coalesce(is_active, false)
--> sqlite
-->   restriction: customers.is_active none of true
--§ A truth that is tested.
SELECT 1 FROM customers WHERE is_active IS NOT FALSE
--> postgres, mysql
-->   restriction: customers.is_active none of false
--§ PostgreSQL's lists.
SELECT 1 FROM orders WHERE status <> ALL (ARRAY['a'::text, 'b'::text]) AND details = ANY ('{x,y}'::text[])
--> postgres
-->   restriction: orders.status none of 'a', 'b'
-->   restriction: orders.details one of 'x', 'y'
--§ A value that the text doesn't tell.
SELECT 1 FROM orders WHERE customer_id = (SELECT max(customer_id) FROM customers)
--> sqlite
-->   restriction: orders.customer_id one of
--§ A column of another table is no value.
SELECT 1 FROM orders o JOIN customers c ON c.customer_id = o.customer_id AND c.country = 'US'
--> sqlite
-->   restriction: customers.country one of 'US'
--§ Through a common table expression.
WITH recent AS (SELECT status AS state FROM orders) SELECT 1 FROM recent WHERE state <> 'cancelled'
--> sqlite
-->   restriction: orders.status none of 'cancelled'
--§ In the select list nothing is restricted.
SELECT status = 'paid', CASE WHEN status = 'sent' THEN 1 END FROM orders
--> sqlite
--§ Forms.
SELECT 1 FROM orders WHERE status NOT LIKE 'cancel%'
--> sqlite
-->   restriction: orders.status not of 'cancel%'
--§ PostgreSQL's regular expressions.
SELECT 1 FROM orders WHERE status !~* '^cancel' AND details ILIKE '%x%'
--> postgres
-->   restriction: orders.status not of regular '^cancel', in any case
-->   restriction: orders.details of '%x%', in any case
--§ Not ended, whatever day it is.
SELECT 1 FROM orders WHERE ordered_on IS NULL OR ordered_on > CURRENT_DATE
--> postgres, sqlite
-->   restriction: orders.ordered_on null
