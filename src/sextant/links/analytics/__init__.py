"""Services that count what copilots are used for."""
