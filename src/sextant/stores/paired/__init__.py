"""A store of two engines: what one of them acknowledged is found by the other."""
