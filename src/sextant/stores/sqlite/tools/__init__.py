"""Tools in the truth: tables beside the knowledge, and what runs inside a transaction."""
