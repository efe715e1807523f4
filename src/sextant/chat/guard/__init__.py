"""Guardrails: what a user writes is checked before anybody answers."""
