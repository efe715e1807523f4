"""Tools in a Neo4j database, reached over Bolt. Nothing else of a store is there."""
