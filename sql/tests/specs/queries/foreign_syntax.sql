-- shows: outputs
--§ To ClickHouse a backslash escapes in names: `, 2 AS ` is a part of the first one, and the table is read.
SELECT 1 AS `\`, 2 AS `, name FROM customers -- `
--> clickhouse
-->   effect: ForeignSyntax
-->   output: \ = computed
-->   output: , name FROM customers --  = computed
--§ In double quotes as well.
SELECT 1 AS "\", 2 AS ", name FROM customers -- "
--> clickhouse
-->   effect: ForeignSyntax
-->   output: \ = computed
-->   output: , name FROM customers --  = computed
