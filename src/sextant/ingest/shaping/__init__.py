"""From readings to documents: their ids, their fields by the rules, their chunks."""
