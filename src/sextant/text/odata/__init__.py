"""Filters as OData writes them."""
