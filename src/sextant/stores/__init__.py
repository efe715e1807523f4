"""Adapters that keep knowledge, behind the store ports. Only build imports them."""
