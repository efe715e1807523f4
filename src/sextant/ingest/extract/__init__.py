"""Names and facts from text, without a model: who is named, and what is said of whom."""
