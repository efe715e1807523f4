"""Formats whose text is the file itself: spans point into what its author wrote."""
