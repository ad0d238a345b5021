-- Leading columns of the indexes that cover every row and compare bytes, unique ones of a single column first.
SELECT part.name, max(listed."unique" AND 1 = (
    SELECT count(*) FROM pragma_index_xinfo(listed.name, 'main') AS others WHERE others.key = 1
)) AS alone
FROM pragma_index_list(?1, 'main') AS listed
JOIN pragma_index_xinfo(listed.name, 'main') AS part
WHERE listed.partial = 0 AND part.key = 1 AND part.seqno = 0 AND part.name IS NOT NULL AND part.coll = 'BINARY'
GROUP BY part.name
ORDER BY alone DESC, min(listed.origin <> 'pk'), max(listed.seq) DESC, part.name;
