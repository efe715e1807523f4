"""Links to what others run: retrievers behind HTTP or MCP. Imported only when chosen."""
