-- expect: deny(not_a_query)
-- dialect: postgres
SHOW ALL
--§
SHOW data_directory
--§
SHOW config_file
--§
SHOW hba_file
