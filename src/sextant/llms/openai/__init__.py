"""OpenAI, and the one adapter that everything which speaks its protocol shares."""
