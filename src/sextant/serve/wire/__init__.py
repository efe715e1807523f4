"""Shapes that more than one door speaks, as explicit models."""
