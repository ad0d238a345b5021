-- expect: warn(cartesian_product)
-- suggests: o.customer_id = c.customer_id
SELECT count(*) FROM customers c, orders o
