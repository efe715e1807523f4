"""Where a CopilotKit runtime of others comes in, for the actions and agents of this server."""
