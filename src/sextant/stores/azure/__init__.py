"""Knowledge in Azure: Cosmos DB holds the truth and AI Search the index."""
