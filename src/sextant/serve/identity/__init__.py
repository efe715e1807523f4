"""Who asks: from a token to a Caller."""
