"""Attacks that once went through, each as a test against a real server or command."""
