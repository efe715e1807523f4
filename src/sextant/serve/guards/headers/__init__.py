"""What the head of a request may say, and what every answer says in its own."""
