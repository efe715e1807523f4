"""Counters, threads, feedback and leases in Cosmos DB: small items that change by etag."""
