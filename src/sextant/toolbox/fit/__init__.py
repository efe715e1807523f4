"""How much of each tool is shown within a token budget, and in which order."""
