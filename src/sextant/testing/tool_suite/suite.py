"""The promises of the port ToolGraph, as tests. Needs pytest only to be run."""

from __future__ import annotations

from sextant.testing.tool_suite.catalogue import CataloguePromises
from sextant.testing.tool_suite.paths import PathPromises
from sextant.testing.tool_suite.uses import UsePromises


class ToolGraphConformance(CataloguePromises, UsePromises, PathPromises):
    """All promises. Override ``open_graph``."""
