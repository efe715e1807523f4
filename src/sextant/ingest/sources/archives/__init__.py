"""Archives: zip and tar are listed here, unpacked entry by entry, and never trusted."""
