"""How we talk with a language model, whichever it is. Knows the port, no provider."""
