"""An answer as plain JSON and back, and whether a saved one still holds. Knows no step."""
