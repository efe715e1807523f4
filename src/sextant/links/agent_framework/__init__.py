"""Agents of Microsoft Agent Framework, which run in this process."""
