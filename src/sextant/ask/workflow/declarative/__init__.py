"""A declarative workflow of agents in YAML, read and turned into a workflow of this program."""
