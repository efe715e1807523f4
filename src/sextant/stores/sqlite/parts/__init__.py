"""The five parts of the embedded store, over the tenants that are open."""
