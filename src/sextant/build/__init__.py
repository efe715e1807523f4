"""From settings to a Sextant: which adapter a string means. The only importer of stores and llms.

``scheme:rest`` picks an adapter here or, in the same way, one that another package registers under
the entry point groups ``sextant.stores``, ``sextant.indexes``, ``sextant.embedders``,
``sextant.llms``, ``sextant.extractors``, ``sextant.tool_graphs``, ``sextant.guardrails`` and
``sextant.server_records``. A door is picked by its name alone, and comes from ``sextant.doors``.
"""

from sextant.build.adapters import (
    DOORS,
    EMBEDDERS,
    EXTRACTORS,
    GUARDRAILS,
    INDEXES,
    LLMS,
    RETRIEVERS,
    SERVER_RECORDS,
    STORES,
    TOOL_GRAPHS,
    unknown,
    wrong_extractor,
    wrong_index,
    wrong_llm,
    wrong_server_records,
    wrong_tool_graph,
)
from sextant.build.copilot_links import open_copilot_links, wrong_remote
from sextant.build.doors import (
    find_door,
    unknown_doors,
    wrong_doors,
)
from sextant.build.models import (
    SILENT,
    open_chat,
    open_embedder,
    open_extractor,
    open_llm,
    open_retriever,
    open_tracer,
)
from sextant.build.stores import (
    has_keys,
    is_there,
    is_vacant,
    open_server_records,
    open_store,
    restore,
)
from sextant.build.tool_servers import (
    build_gateway,
    open_tool_server,
    tool_source,
)
from sextant.build.whole import (
    build_orchestration,
    build_pipeline,
    open_sextant,
)

__all__ = [
    "DOORS",
    "EMBEDDERS",
    "EXTRACTORS",
    "GUARDRAILS",
    "INDEXES",
    "LLMS",
    "RETRIEVERS",
    "SERVER_RECORDS",
    "SILENT",
    "STORES",
    "TOOL_GRAPHS",
    "build_gateway",
    "build_orchestration",
    "build_pipeline",
    "find_door",
    "has_keys",
    "is_there",
    "is_vacant",
    "open_chat",
    "open_copilot_links",
    "open_embedder",
    "open_extractor",
    "open_llm",
    "open_retriever",
    "open_server_records",
    "open_sextant",
    "open_store",
    "open_tool_server",
    "open_tracer",
    "restore",
    "tool_source",
    "unknown",
    "unknown_doors",
    "wrong_doors",
    "wrong_extractor",
    "wrong_index",
    "wrong_llm",
    "wrong_remote",
    "wrong_server_records",
    "wrong_tool_graph",
]
