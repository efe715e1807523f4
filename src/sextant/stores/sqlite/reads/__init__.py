"""Answering from one snapshot, or from the truth by id."""
