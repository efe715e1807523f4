"""Parts of bench/grounding.py."""
