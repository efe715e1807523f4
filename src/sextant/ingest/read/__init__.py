"""Bytes to readings. Knows formats; where bytes come from and where readings go is not known."""

from sextant.ingest.read.formats import format_of
from sextant.ingest.read.limits import ReadLimits
from sextant.ingest.read.table import read

__all__ = ["ReadLimits", "format_of", "read"]
