"""The truth, the graph and the records in Cosmos DB."""
