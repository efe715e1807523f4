"""The verbs of Sextant. Knows ports, no adapter and no door."""

from sextant.core.sextant import Sextant

__all__ = ["Sextant"]
