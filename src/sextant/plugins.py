"""The plugin surface, whole: what another package can bring, and the signature of each.

A package registers an object under an entry point group; settings choose it by its name.

| group                | the object                         | chosen by                         |
|----------------------|------------------------------------|-----------------------------------|
| ``sextant.stores``     | `StoreOpener`                    | ``store = "name:rest"``           |
| ``sextant.indexes``    | `IndexOpener`                    | ``index = "name:rest"``           |
| ``sextant.tool_graphs`` | `ToolGraphOpener`               | ``toolbox.graph = "name:rest"``   |
| ``sextant.server_records`` | `RecordsOpener`              | ``serve.records = "name:rest"``   |
| ``sextant.embedders``  | `EmbedderOpener`                 | ``embedder = "name:rest"``        |
| ``sextant.llms``       | `ModelOpener`                    | ``llm = "name:rest"``             |
| ``sextant.extractors`` | `ExtractorOpener`                | ``ingest.extractor = "name:rest"``|
| ``sextant.retrievers`` | `RetrieverOpener`                | a workflow's ``retriever``        |
| ``sextant.guardrails`` | `GuardrailOpener`                | ``guardrails.services``           |
| ``sextant.formats``    | a `FileFormat`                   | a file's ending or media type     |
| ``sextant.relations``  | a `RelationVocabulary`           | being installed                   |
| ``sextant.actions``    | a function with `@action`        | being installed                   |
| ``sextant.agents``     | a function with `@agent`, …      | its name in a run                 |
| ``sextant.doors``      | ``open_door(house: House) -> Door`` | ``serve.doors = "rest,name"``  |
| ``sextant.settings``   | a dataclass                      | ``[name]`` in the settings        |

A table ``[name]`` in the settings belongs to the plugin of that name; `section` reads it, and
``sextant config`` lists and checks what the registered dataclass has.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sextant.chat.actions.action import Action, action
from sextant.chat.context import Agent, RunContext
from sextant.chat.function_agent import agent
from sextant.errors import MissingExtra
from sextant.ingest.extract.vocabulary import RelationVocabulary
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given
from sextant.ingest.read.plugin_formats import FileFormat
from sextant.ingest.values import Block, Fact, Hyperlink, Kind, Reading
from sextant.ports import (
    ChatModel,
    DiscerningEmbedder,
    Embedder,
    Extractor,
    FollowingIndex,
    FrameworkAgent,
    Guardrail,
    PieceEmbedder,
    Purpose,
    Retriever,
    Store,
    ToolGraph,
)
from sextant.server_ports import ServerRecords
from sextant.settings import Settings, section
from sextant.types import EmbedderIdentity, Ended, GuardedInput, GuardVerdict

if TYPE_CHECKING:
    from sextant.serve.door import Door, limits_of
    from sextant.serve.house import House
    from sextant.serve.identity.bearer import Bearer

__all__ = [
    "Action",
    "Agent",
    "Bearer",
    "Block",
    "ChatModel",
    "DiscerningEmbedder",
    "Door",
    "Draft",
    "Embedder",
    "EmbedderIdentity",
    "EmbedderOpener",
    "Ended",
    "Extractor",
    "ExtractorOpener",
    "Fact",
    "FileFormat",
    "FollowingIndex",
    "FrameworkAgent",
    "Given",
    "GuardVerdict",
    "GuardedInput",
    "Guardrail",
    "GuardrailOpener",
    "House",
    "Hyperlink",
    "IndexOpener",
    "Kind",
    "MissingExtra",
    "ModelOpener",
    "PieceEmbedder",
    "Purpose",
    "Reading",
    "RecordsOpener",
    "RelationVocabulary",
    "Retriever",
    "RetrieverOpener",
    "RunContext",
    "ServerRecords",
    "Settings",
    "Store",
    "StoreOpener",
    "ToolGraph",
    "ToolGraphOpener",
    "action",
    "agent",
    "from_agent_framework",
    "limits_of",
    "section",
]
_OF_DOORS = {
    "Bearer": "sextant.serve.identity.bearer",
    "Door": "sextant.serve.door",
    "House": "sextant.serve.house",
    "limits_of": "sextant.serve.door",
}
"""Loaded when asked for: a format or an embedder needs no web server."""


def __getattr__(name: str) -> Any:
    if name not in _OF_DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_OF_DOORS[name]), name)


def from_agent_framework(agent: Any) -> FrameworkAgent:
    """Return an agent of Microsoft Agent Framework as one that can be registered here."""
    try:
        behind = import_module("sextant.links.agent_framework.agent")
    except ImportError as error:
        raise MissingExtra(
            "An agent of Agent Framework needs the package agent-framework-core.",
            "Run: pip install 'sextant[agents]'",
        ) from error
    made: FrameworkAgent = behind.AgentFrameworkAgent(agent)
    return made


class StoreOpener(Protocol):
    """Opens a store; ``rest`` is what stands behind the scheme in the settings."""

    async def __call__(
        self,
        rest: str,
        settings: Settings,
        identity: EmbedderIdentity | None,
        *,
        adopt: bool = False,
    ) -> Store:
        """Open it for vectors of this embedder; adopt takes it whatever it was made with."""


class IndexOpener(Protocol):
    """Opens an index that follows a truth in another engine."""

    async def __call__(
        self, rest: str, settings: Settings, identity: EmbedderIdentity | None
    ) -> FollowingIndex:
        """Open it for vectors of this embedder."""


class ToolGraphOpener(Protocol):
    """Opens another engine for a tenant's tools."""

    async def __call__(self, rest: str, settings: Settings) -> ToolGraph:
        """Open it."""


class RecordsOpener(Protocol):
    """Opens what servers write down for each other: keys, jobs, replies and who is there."""

    async def __call__(self, rest: str, folder: Path) -> ServerRecords:
        """Open it; the folder is the server's own."""


class EmbedderOpener(Protocol):
    """Opens an embedder."""

    def __call__(self, rest: str, settings: Settings) -> Embedder:
        """Open it without waiting; what takes long is done when it is first asked."""


class ModelOpener(Protocol):
    """Opens a chat model."""

    def __call__(self, rest: str, settings: Settings) -> ChatModel:
        """Open it without waiting."""


class ExtractorOpener(Protocol):
    """Opens an extractor of names."""

    def __call__(self, rest: str, settings: Settings) -> Extractor:
        """Open it."""


class RetrieverOpener(Protocol):
    """Opens a retriever of somebody else's knowledge."""

    def __call__(self, rest: str, settings: Settings) -> Retriever:
        """Open it without waiting."""


class GuardrailOpener(Protocol):
    """Opens a guardrail: who checks what a user writes before anybody answers."""

    def __call__(self, rest: str, settings: Settings, embedder: Embedder) -> Guardrail:
        """Open it without waiting; the embedder is the one that is set, and is closed elsewhere."""
