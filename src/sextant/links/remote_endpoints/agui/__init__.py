"""Agents of others that speak AG-UI: one at an address, told as server-sent events."""
