-- expect: deny(executable_comment)
-- dialect: mysql
SELECT /*+ MAX_EXECUTION_TIME(0) */ order_id FROM orders
--§
SELECT /*+ SET_VAR(sql_mode='') */ 1
