"""Keys: where one comes from, and texts without any."""
