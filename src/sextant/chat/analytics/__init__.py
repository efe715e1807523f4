"""What copilots are used for, as events for somebody who counts: numbers and codes, no text."""
