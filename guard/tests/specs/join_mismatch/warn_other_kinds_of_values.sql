-- expect: warn(join_of_types)
SELECT o.total FROM orders o JOIN shifts s ON s.held_on = o.order_id
--§
SELECT o.total FROM orders o JOIN customers c ON c.signed_up = o.total
