"""What browsers and mail programs show."""
