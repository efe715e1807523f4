"""A KnowledgeStore that has the common tools and no more: entries by vector, by filters, by id."""
