"""Agents and actions of remote endpoints, as agents and actions of this process."""
