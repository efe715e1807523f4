"""Commands around copilots: a chat in the terminal, and who is there to answer."""
