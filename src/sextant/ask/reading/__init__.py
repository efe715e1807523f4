"""How a question is read: words, names, dates, clauses and what they ask for. Knows no store."""
