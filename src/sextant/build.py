"""From settings to a Sextant: which adapter a string means. The only importer of stores and llms.

``scheme:rest`` picks an adapter here or, in the same way, one that another package registers under
the entry point groups ``sextant.stores``, ``sextant.embedders`` and ``sextant.extractors``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sextant.core import Sextant
from sextant.errors import ConfigError, MissingExtra, UnknownScheme
from sextant.ports import Embedder, Extractor, Progress, Store
from sextant.settings import Settings, load

STORES = {
    "sqlite": "sextant.stores.sqlite.store:open_store",
    "memory": "sextant.stores.memory.store:open_store",
}
EMBEDDERS = {
    "minilm": "sextant.llms.minilm:open_embedder",
    "tiny": "sextant.llms.tiny:open_embedder",
}
EXTRACTORS = {"spacy": "sextant.llms.spacy_names:open_extractor"}
_EXTRAS = {"spacy": "nlp"}


async def build(settings: Settings | None = None) -> Sextant:
    """Open the embedder and the store that the settings name."""
    settings = settings or load().settings
    embedder = open_embedder(settings)
    try:
        extractor = open_extractor(settings)
        store = await open_store(settings, embedder)
    except BaseException:
        await embedder.close()
        raise
    return Sextant(store, embedder, settings, extractor)


async def open_store(
    settings: Settings, embedder: Embedder | None = None, *, adopt: bool = False
) -> Store:
    """Open the store; adopt takes it whatever embedder and language it was made with."""
    opener, rest = _adapter("store", settings.store, STORES)
    store: Store = await opener(
        rest, settings, embedder.identity if embedder else None, adopt=adopt
    )
    return store


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder."""
    opener, rest = _adapter("embedder", settings.embedder, EMBEDDERS)
    embedder: Embedder = opener(rest, settings)
    return embedder


def open_extractor(settings: Settings) -> Extractor | None:
    """Open the extractor of names, if one is chosen beside the patterns."""
    if not settings.ingest.extractor:
        return None
    opener, rest = _adapter("extractor", settings.ingest.extractor, EXTRACTORS)
    extractor: Extractor = opener(rest, settings)
    return extractor


def is_there(settings: Settings) -> bool:
    """Whether there is a store to read from; only of a folder can that be said beforehand."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        return True
    from sextant.stores.sqlite.folder import is_store

    return is_store(Path(rest))


def restore(settings: Settings, source: Path, progress: Progress | None = None) -> list[str]:
    """Make the store that the settings name from a backup, and name its tenants."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        raise ConfigError(f"A backup cannot be restored to {settings.store}.", "Use sqlite:FOLDER.")
    from sextant.stores.sqlite.store import restore_store

    return restore_store(source, Path(rest), progress)


def _adapter(what: str, choice: str, known: dict[str, str]) -> tuple[Callable[..., Any], str]:
    scheme, colon, rest = choice.partition(":")
    target = known.get(scheme) if colon else None
    if target is None:
        return _stranger(what, choice, known), rest
    module, _, name = target.partition(":")
    try:
        opener: Callable[..., Any] = getattr(import_module(module), name)
    except ImportError as error:
        raise _missing(scheme, error) from error
    return opener, rest


def _stranger(what: str, choice: str, known: dict[str, str]) -> Callable[..., Any]:
    scheme = choice.partition(":")[0]
    points = entry_points(group=f"sextant.{what}s")
    if ":" in choice and scheme in points.names:
        try:
            opener: Callable[..., Any] = points[scheme].load()
        except ImportError as error:
            raise _missing(scheme, error) from error
        return opener
    schemes = ", ".join(f"{name}:" for name in sorted({*known, *points.names}))
    raise UnknownScheme(
        f"The setting {what} is {choice!r}; it names no {what}.", f"Known: {schemes}."
    )


def _missing(scheme: str, error: ImportError) -> MissingExtra:
    return MissingExtra(
        f"{scheme}: needs the package {error.name or scheme}, which is not installed.",
        f"Run: pip install 'sextant[{_EXTRAS.get(scheme, scheme)}]'",
    )
