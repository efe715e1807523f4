"""The tools of many servers behind one MCP server: two tools that find and call all others."""
