"""What makes the embedded store fast: arrays derived from the truth. Knows no database."""
