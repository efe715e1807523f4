"""Guardrails of others, which are asked over the network."""
