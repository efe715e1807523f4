"""Which tools belong together, and which must not be together."""
