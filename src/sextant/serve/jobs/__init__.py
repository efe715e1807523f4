"""Long work that outlives the request, and the process, that began it."""
