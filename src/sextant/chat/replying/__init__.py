"""Replies of a model in a run: its prompt, its pieces as events, its rounds of actions."""
