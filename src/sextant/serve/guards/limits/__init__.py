"""How much a request may take: bytes, time, places, streams, and how often it may come."""
