"""Finding by words and by vectors, and the best of what was found."""
