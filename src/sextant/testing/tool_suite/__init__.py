"""The conformance suite for tool graphs: what is kept, what is counted, what belongs together."""

from sextant.testing.tool_suite.suite import ToolGraphConformance

__all__ = ["ToolGraphConformance"]
