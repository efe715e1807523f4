"""Finding knowledge: link, expand, retrieve, walk, rank. Knows ports, no question and no answer."""
