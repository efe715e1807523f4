"""Azure OpenAI, with a key or without."""
