"""What Sextant grew from, to the letter: a list of requirements and a file of tests for each."""
