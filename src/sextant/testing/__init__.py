"""Conformance suites that an adapter inherits to show that it fits. They know ports, no adapter."""
