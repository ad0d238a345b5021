-- Key columns of every index but the primary key's, in the order in which the indexes were made. An expression has no
-- column name; the text of the index says what it is.
SELECT listed.name, listed."unique", listed.partial, part.name, made.sql
FROM pragma_index_list(?1, 'main') AS listed
JOIN pragma_index_xinfo(listed.name, 'main') AS part
LEFT JOIN sqlite_schema AS made ON made.type = 'index' AND made.name = listed.name
WHERE listed.origin <> 'pk' AND part.key = 1
ORDER BY listed.seq DESC, listed.name, part.seqno;
