"""Remote endpoints of every kind."""
