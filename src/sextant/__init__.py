"""Sextant: the grounding layer for copilots."""

__version__ = "0.1.0"
