"""Threads that last: their messages, the states of agents, and what waits for a person."""
