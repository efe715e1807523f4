"""Writers are killed again and again; nothing that was acknowledged may be lost."""
