"""What wire models share: names, strictness, limits, and how faults are told."""
