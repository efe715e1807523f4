"""The conformance suite for chat models."""
