"""What several commands share: options, consoles, and how values look on a terminal."""
