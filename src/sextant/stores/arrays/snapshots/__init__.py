"""What of the segments a reader sees: who is alive, who is visible, what a filter leaves."""
