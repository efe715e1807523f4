"""Teaching the bundled encoder: lessons, a change of low rank, and what came of it."""
