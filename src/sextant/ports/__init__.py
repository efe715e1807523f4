"""What the core asks of the outside: small, batch-only Protocols, Scope first. Knows no adapter."""

from sextant.ports.admin import Admin, Progress, Upkeep
from sextant.ports.analytics import AnalyticsSink
from sextant.ports.framework_agents import AgentFunction, FrameworkAgent
from sextant.ports.graph import Graph, GraphReader
from sextant.ports.guardrails import Guardrail
from sextant.ports.index import Finder, FollowingIndex, Index, PositionKeeper
from sextant.ports.models import (
    ChatModel,
    DiscerningEmbedder,
    Embedder,
    Extractor,
    LikeningEmbedder,
    Orchestrator,
    PieceEmbedder,
    Purpose,
    Retriever,
)
from sextant.ports.records import Leases, Recall, Records, Threads
from sextant.ports.remote_endpoints import RemoteEndpoint, RemoteEvent
from sextant.ports.store import Knowledge, Store, names_by_part
from sextant.ports.tool_servers import ToolServer
from sextant.ports.tools import ToolCatalogue, ToolGraph, ToolPaths, ToolUses
from sextant.ports.truth import (
    DocumentReader,
    PassageReader,
    Truth,
    UnembeddedReader,
    UnitReader,
    Writer,
)

__all__ = [
    "Admin",
    "AgentFunction",
    "AnalyticsSink",
    "ChatModel",
    "DiscerningEmbedder",
    "DocumentReader",
    "Embedder",
    "Extractor",
    "Finder",
    "FollowingIndex",
    "FrameworkAgent",
    "Graph",
    "GraphReader",
    "Guardrail",
    "Index",
    "Knowledge",
    "Leases",
    "LikeningEmbedder",
    "Orchestrator",
    "PassageReader",
    "PieceEmbedder",
    "PositionKeeper",
    "Progress",
    "Purpose",
    "Recall",
    "Records",
    "RemoteEndpoint",
    "RemoteEvent",
    "Retriever",
    "Store",
    "Threads",
    "ToolCatalogue",
    "ToolGraph",
    "ToolPaths",
    "ToolServer",
    "ToolUses",
    "Truth",
    "UnembeddedReader",
    "UnitReader",
    "Upkeep",
    "Writer",
    "names_by_part",
]
