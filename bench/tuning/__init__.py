"""Varying the numbers that retrieval hangs on, and choosing among them without looking."""
