"""What the command that takes knowledge in shows: progress, the sum of it, proposed rules."""
