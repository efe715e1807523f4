"""What a question means by words like it and that team, given the turns before it."""
