"""Calls to servers of others, bounded: their time, their tries, their length. Knows no prompt."""
