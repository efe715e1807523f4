"""What the use of tools teaches: habits, what comes next, and the shape of the graph."""
