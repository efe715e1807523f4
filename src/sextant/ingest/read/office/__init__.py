"""Formats of office programs and print; their parsers are extras, and run in a process apart."""
