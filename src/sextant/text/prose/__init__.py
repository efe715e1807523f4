"""How prose is laid out: headings, sentences, pieces, and what they deny or count."""
