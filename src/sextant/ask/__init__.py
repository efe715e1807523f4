"""The line, from a question to a cited answer, one file a step. Knows no adapter and no door."""
