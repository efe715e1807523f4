"""How a question is searched for names. Pure text."""
