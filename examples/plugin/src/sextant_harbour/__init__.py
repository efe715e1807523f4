"""What a harbour brings to Sextant."""
