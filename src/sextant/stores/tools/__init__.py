"""What stores of tools have in common: how uses are counted and how paths are worth something."""
