"""What a question breaks down into: parts that stand alone, and demands on its sources."""
