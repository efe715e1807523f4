"""Tools over REST: which there are, which a request needs, and how they are used."""
