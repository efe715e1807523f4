"""What the evidence says of what is asked: sentences, rows and edges. Pure; knows no store."""
