"""Containers that somebody else fills, read as they are."""
