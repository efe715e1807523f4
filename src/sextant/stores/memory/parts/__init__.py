"""The five parts of the store in memory, over the same tenants."""
