"""What goes out to a channel: as whom, as what, and as it comes about."""
