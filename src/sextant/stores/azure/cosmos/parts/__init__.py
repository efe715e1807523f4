"""The parts of the store in Cosmos DB, over the same containers."""
