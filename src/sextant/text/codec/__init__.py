"""Nouns as JSON and back, for files, streams and other processes. Knows no noun."""
