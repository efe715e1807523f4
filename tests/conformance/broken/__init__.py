"""Adapters that each break one promise of the ports; the suites must refuse every one of them."""
