"""Remote endpoints of others: agents and actions behind CopilotKit's protocol."""
