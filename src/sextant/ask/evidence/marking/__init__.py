"""What a piece of evidence scores for a part of a question. Pure; knows no store and no claim."""
