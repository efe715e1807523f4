"""Links in what a model or an agent writes: none leads where knowledge must not go."""
