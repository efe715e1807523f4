"""Documents in the store: written, replaced, removed and linked, in step with each other."""
