"""What makes the embedded store fast: immutable arrays derived from the truth. Knows no database."""
