"""Everything that looks after a store: files, segments, backups, other vectors."""
