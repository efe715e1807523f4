"""Servers that speak OpenAI's protocol: anybody's, or one in this process."""
