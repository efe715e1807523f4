"""MCP servers of others, for their tools: found in settings, listed whole, called one by one."""
