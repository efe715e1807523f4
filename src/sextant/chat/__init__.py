"""Copilots: runs that turn messages into events, for any door. Knows ports and the line."""
