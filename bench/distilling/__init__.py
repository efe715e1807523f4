"""What it takes to make a small reader of passages from a large one."""
