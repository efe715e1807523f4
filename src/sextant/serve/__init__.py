"""The doors: each decodes what a protocol says, calls one verb of the core, and encodes."""
