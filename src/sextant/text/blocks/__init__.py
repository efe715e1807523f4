"""Runs of a page that stand by themselves: what they are made of, where they end, how they look."""
