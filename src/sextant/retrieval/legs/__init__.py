"""Searches beside the open one, each narrowed by a filter of its own."""
