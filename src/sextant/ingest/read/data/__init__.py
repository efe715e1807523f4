"""Records and tables: rendered as text that a person can read and an answer can cite."""
