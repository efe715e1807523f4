"""The embedded store: SQLite holds the truth, one database per tenant; arrays make it fast."""
