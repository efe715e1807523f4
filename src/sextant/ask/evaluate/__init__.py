"""How well a set of questions is answered: the set, and what an answer to one of it is worth."""
