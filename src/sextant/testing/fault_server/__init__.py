"""A server that speaks OpenAI's protocol and misbehaves as it is told."""
