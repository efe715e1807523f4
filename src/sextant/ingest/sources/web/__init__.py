"""Sites: pages are fetched politely, within limits, and never from a private address."""
