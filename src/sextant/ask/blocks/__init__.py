"""Which runs of pages an answer is made of, in what order, and how many."""
