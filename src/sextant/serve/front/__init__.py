"""Before the doors: who listens, who may come in, and what the house says of itself."""
