"""The five parts of the embedded store, over one household of tenants."""
