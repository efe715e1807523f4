"""Actions: what a model may have done here, and what waits for a person first."""
