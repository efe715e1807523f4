"""The conformance suite for stores: one file of promises for each part."""
