"""Whether evidence is enough: what is measured of it, and the coefficients fitted to that."""
