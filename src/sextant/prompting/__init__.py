"""Prompts, replies and budgets of a language model. Knows the port, no provider."""
