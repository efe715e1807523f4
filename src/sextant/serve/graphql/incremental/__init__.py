"""Runs as GraphQL results that come in parts: what is selected, how it is patched and framed."""
