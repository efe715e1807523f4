"""What the REST door says of itself: OpenAPI and its page."""
