"""Servers that nobody here wrote, for tests to talk to. All of them on the loopback device."""
