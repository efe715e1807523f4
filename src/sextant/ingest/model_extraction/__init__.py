"""Names and relations by a language model: the same shape as without one, richer."""
