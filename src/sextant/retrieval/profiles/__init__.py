"""Ranking profiles: which weights rank a request, and where they were saved."""
