"""Tools on the wire: as they are described, selected, related, imported and used."""
