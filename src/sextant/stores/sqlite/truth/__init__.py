"""The database: its tables, who may write when, and rows to and fro."""
