-- Functions of extensions and users: name in lower case, the schemas that have one of that name, whether all of them come
-- with an extension and are said not to be volatile, whether one doesn't that is called by
-- its bare name, and whether any doesn't. Those that only the engine calls, such as
-- triggers and the input of types, are of no use in a query.
SELECT pg_catalog.lower(p.proname::text),
       pg_catalog.array_agg(DISTINCT n.nspname::text),
       pg_catalog.bool_and(p.proname = pg_catalog.lower(p.proname::text) AND of_extension.is_pure),
       pg_catalog.bool_or(NOT of_extension.is_pure AND n.nspname = ANY (pg_catalog.current_schemas(true))),
       pg_catalog.bool_or(NOT of_extension.is_pure)
FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
CROSS JOIN LATERAL (
    SELECT p.provolatile IN ('i', 's') AND p.prokind IN ('f', 'a', 'w') AND NOT p.prosecdef
           AND EXISTS (
               SELECT FROM pg_catalog.pg_depend AS d
               WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'
           ) AS is_pure
) AS of_extension
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND p.prorettype NOT IN (
      'internal'::pg_catalog.regtype, 'cstring'::pg_catalog.regtype, 'trigger'::pg_catalog.regtype,
      'event_trigger'::pg_catalog.regtype, 'language_handler'::pg_catalog.regtype,
      'fdw_handler'::pg_catalog.regtype, 'index_am_handler'::pg_catalog.regtype,
      'table_am_handler'::pg_catalog.regtype, 'tsm_handler'::pg_catalog.regtype
  )
  AND NOT p.proargtypes::pg_catalog.oid[] && ARRAY['internal'::pg_catalog.regtype, 'cstring'::pg_catalog.regtype]::pg_catalog.oid[]
GROUP BY 1
ORDER BY 1
