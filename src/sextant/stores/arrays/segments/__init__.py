"""What a segment is made of, how it is made, and how it is kept in a file."""
