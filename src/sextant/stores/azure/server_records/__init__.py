"""Server records in Cosmos DB: keys, jobs, replies and who is there, shared by all servers."""
