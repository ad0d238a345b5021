-- When a table was first missed in its source. What is known of it stays until somebody asks for its removal.
ALTER TABLE tables ADD COLUMN dropped_at TEXT;
