"""Finding passages for each query of a question: linked, expanded, retrieved, ranked."""
