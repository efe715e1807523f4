"""How pieces are laid out in a passage: rows of tables, records of trees. Knows no question."""
