"""AG-UI, which the newest CopilotKit speaks: info, run, connect and stop over HTTP and SSE."""
