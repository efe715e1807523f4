"""What a passage scores beside its relevancy, and what is told of it. Pure; knows no store."""
