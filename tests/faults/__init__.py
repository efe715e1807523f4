"""Disks that fail, fill up or forbid; every failure is typed and leaves the store whole."""
