-- expect: warn(several_versions)
SELECT sum(cents) FROM drafts
--§
SELECT draft_no, sum(cents) FROM drafts GROUP BY draft_no ORDER BY 2 DESC LIMIT 5
