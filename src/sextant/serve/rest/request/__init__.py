"""How REST reads and refuses requests, and how it replies."""
