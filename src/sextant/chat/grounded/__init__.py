"""The line as an agent: its steps as state, its answer as text with links to its sources."""
