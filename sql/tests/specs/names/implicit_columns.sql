-- shows: outputs
--§ The number of a row is the key, where that is one whole number.
SELECT rowid AS r FROM orders
--> sqlite
-->   output: r = orders.order_id
--§ Of a key of two columns it is not.
SELECT rowid FROM order_lines
--> sqlite
-->   output: rowid = computed
--§ It has three names.
SELECT oid AS a, _rowid_ AS b, o.rowid AS c FROM orders o
--> sqlite
-->   output: a = orders.order_id
-->   output: b = orders.order_id
-->   output: c = orders.order_id
--§ Which rows lie where, and who wrote them, may tell of any column.
SELECT ctid FROM payments
--> postgres
-->   output: ctid = computed from payments.payment_id, payments.order_id, payments.amount
--§ The number of a row is the key.
SELECT _rowid FROM payments
--> mysql
-->   output: _rowid = payments.payment_id
--§ The part in which a row lies is made by the sorting key.
SELECT _part FROM priced
--> clickhouse
-->   output: _part = computed from priced.sku, priced.net, priced.gross
--§ What one engine has the others lack.
SELECT rowid FROM orders
--> postgres, mysql
-->   problem: no column rowid in orders at `rowid`
-->   output: rowid = computed
--§ A query has no such columns.
SELECT q.ctid FROM (SELECT total FROM orders) q
--> postgres, sqlite, duckdb
-->   problem: no column q.ctid in q at `ctid`
-->   output: ctid = computed
