"""The plugin surface, whole: what another package can bring, and the signature of each.

A package registers an object under an entry point group; settings choose it by its name.

| group                | the object                         | chosen by                         |
|----------------------|------------------------------------|-----------------------------------|
| ``sextant.stores``     | `StoreOpener`                    | ``store = "name:rest"``           |
| ``sextant.embedders``  | `EmbedderOpener`                 | ``embedder = "name:rest"``        |
| ``sextant.llms``       | `ModelOpener`                    | ``llm = "name:rest"``             |
| ``sextant.extractors`` | `ExtractorOpener`                | ``ingest.extractor = "name:rest"``|
| ``sextant.retrievers`` | `RetrieverOpener`                | a workflow's ``retriever``        |
| ``sextant.formats``    | a `FileFormat`                   | a file's ending or media type     |
| ``sextant.relations``  | a `RelationVocabulary`           | being installed                   |

A table ``[name]`` in the settings belongs to the plugin of that name; `section` reads it.
"""

from __future__ import annotations

from typing import Protocol

from sextant.ingest.extract.vocabulary import RelationVocabulary
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given
from sextant.ingest.read.plugin_formats import FileFormat
from sextant.ingest.values import Block, Fact, Hyperlink, Kind, Reading
from sextant.ports import ChatModel, Embedder, Extractor, Purpose, Retriever, Store
from sextant.settings import Settings, section
from sextant.types import EmbedderIdentity

__all__ = [
    "Block",
    "ChatModel",
    "Draft",
    "Embedder",
    "EmbedderIdentity",
    "EmbedderOpener",
    "Extractor",
    "ExtractorOpener",
    "Fact",
    "FileFormat",
    "Given",
    "Hyperlink",
    "Kind",
    "ModelOpener",
    "Purpose",
    "Reading",
    "RelationVocabulary",
    "Retriever",
    "RetrieverOpener",
    "Settings",
    "Store",
    "StoreOpener",
    "section",
]


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
