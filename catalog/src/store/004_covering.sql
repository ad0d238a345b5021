-- When a row was written stands behind its body. These hold it beside the key, so that finding out what has changed doesn't read
-- every body.
CREATE INDEX table_revisions ON tables (id, dropped_at, revision);
CREATE INDEX profile_revisions ON profiles (table_id, revision);
CREATE INDEX description_revisions ON descriptions (table_id, revision);
