"""The ways on which messages of MCP come in: HTTP, stdin and stdout, or a bridge between them."""
