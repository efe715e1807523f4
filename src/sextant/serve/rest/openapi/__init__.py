"""What the REST door says of itself: the OpenAPI document and its page."""
