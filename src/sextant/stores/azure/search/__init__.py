"""The index in Azure AI Search: passages found by words, vectors and filters."""
