"""Knowledge in: items are read, split, searched for names and facts, and loaded."""
