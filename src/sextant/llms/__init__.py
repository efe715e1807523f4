"""Embedders, one file each behind the Embedder port. No room but build imports them."""
