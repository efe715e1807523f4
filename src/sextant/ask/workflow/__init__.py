"""The agentic workflow as files: instructions, models, limits and schemas of each step."""
