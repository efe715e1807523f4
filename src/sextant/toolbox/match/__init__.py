"""Which tools fit what is asked for, by words, by meaning and by what was used before."""
