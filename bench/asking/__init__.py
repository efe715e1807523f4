"""Measuring answers: how sure they are, how right they are, and what they cost."""
