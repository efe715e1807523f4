"""The step after words are in: documents that wait for their vectors get them, and keep them."""
