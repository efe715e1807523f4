"""How messages of MCP come in: over HTTP, over stdin and stdout, or through a bridge."""
