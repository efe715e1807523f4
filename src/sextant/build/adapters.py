"""Which adapter a string means: a table for ours, entry points for everybody else's."""

from __future__ import annotations

from collections.abc import Callable, Set
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from sextant.entrypoints import load_plugin, registered
from sextant.errors import ConfigError, MissingExtra, UnknownScheme
from sextant.settings import MODEL_CHOICES, NO_MODEL

STORES = {
    "sqlite": "sextant.stores.sqlite.store:open_store",
    "memory": "sextant.stores.memory.store:open_store",
    "azure": "sextant.stores.azure.store:open_store",
}
INDEXES = {
    "memory": "sextant.stores.memory.following:open_index",
    "azure": "sextant.stores.azure.search.index:open_adapter",
}
TOOL_GRAPHS = {
    "neo4j": "sextant.stores.neo4j.graph:open_neo4j",
    "neo4j+s": "sextant.stores.neo4j.graph:open_secure_neo4j",
    "bolt": "sextant.stores.neo4j.graph:open_bolt",
    "bolt+s": "sextant.stores.neo4j.graph:open_secure_bolt",
}
EMBEDDERS = {
    "bge-fast": "sextant.llms.bge_small.embedder:open_fast",
    "bge": "sextant.llms.bge_small.embedder:open_whole",
    "minilm": "sextant.llms.minilm.embedder:open_embedder",
    "tiny": "sextant.llms.tiny:open_embedder",
    "openai": "sextant.llms.openai.embedder:open_embedder",
    "azure": "sextant.llms.azure.embedder:open_embedder",
    "gemini": "sextant.llms.gemini.embedder:open_embedder",
    "http": "sextant.llms.compatible.embedder:open_embedder",
    "https": "sextant.llms.compatible.embedder:open_secure_embedder",
}
LLMS = {
    "openai": "sextant.llms.openai.chat:open_model",
    "openai-responses": "sextant.llms.openai.responses:open_model",
    "azure": "sextant.llms.azure.chat:open_model",
    "gemini": "sextant.llms.gemini.chat:open_model",
    "anthropic": "sextant.llms.anthropic.chat:open_model",
    "langserve": "sextant.llms.langserve.chat:open_model",
    "http": "sextant.llms.compatible.chat:open_model",
    "https": "sextant.llms.compatible.chat:open_secure_model",
    "local": "sextant.llms.compatible.local:open_model",
    "empty": "sextant.llms.empty:open_model",
}
RETRIEVERS = {
    "http": "sextant.links.http_retriever:open_retriever",
    "https": "sextant.links.http_retriever:open_secure_retriever",
    "mcp": "sextant.links.mcp_retriever:open_retriever",
}
EXTRACTORS = {"spacy": "sextant.llms.spacy_names:open_extractor"}
SERVER_RECORDS = {
    "sqlite": "sextant.stores.server_records.sqlite:open_records",
    "memory": "sextant.stores.server_records.memory:open_records",
    "azure": "sextant.stores.azure.server_records.opening:open_records",
}
GUARDRAILS = {
    "local": "sextant.chat.guard.local:open_guardrail",
    "http": "sextant.links.guardrails.cloud:open_guardrail",
    "https": "sextant.links.guardrails.cloud:open_secure_guardrail",
}
DOORS = {
    "rest": "sextant.serve.rest.app:open_door",
    "mcp": "sextant.serve.mcp.door:open_door",
    "copilotkit": "sextant.serve.copilotkit.door:open_door",
    "copilotkit-remote": "sextant.serve.copilotkit_remote.door:open_door",
    "m365": "sextant.serve.m365.door:open_door",
}
_ADAPTERS = {
    "store": STORES,
    "index": INDEXES,
    "tool_graph": TOOL_GRAPHS,
    "embedder": EMBEDDERS,
    "llm": LLMS,
    "retriever": RETRIEVERS,
    "extractor": EXTRACTORS,
    "server_record": SERVER_RECORDS,
    "guardrail": GUARDRAILS,
    "door": DOORS,
}
_SETTINGS = {
    "server_record": "serve.records",
    "tool_graph": "toolbox.graph",
    "guardrail": "guardrails.services",
}
"""What the setting is called that names an adapter, where it is not called by its kind."""
_EXTRAS = {
    "spacy": "nlp",
    "http": "openai",
    "https": "openai",
    "openai-responses": "openai",
    "neo4j+s": "neo4j",
    "bolt": "neo4j",
    "bolt+s": "neo4j",
}


def find_adapter(what: str, choice: str) -> tuple[Callable[..., Any], str]:
    """Return what opens the adapter that a choice names, and the rest of the choice."""
    wrong = unknown(what, choice)
    if wrong:
        raise wrong
    scheme, _, rest = choice.partition(":")
    try:
        return opener_of(what, scheme), rest
    except ImportError as error:
        raise missing_extra(scheme, error) from error


def unknown(what: str, choice: str) -> UnknownScheme | None:
    """Return why a choice names no adapter; whether it can be opened is not asked."""
    scheme, colon, _ = choice.partition(":")
    if colon and scheme in _ADAPTERS[what]:
        return None
    schemes = {*_ADAPTERS[what], *registered(adapter_group(what))}
    if colon and scheme in schemes:
        return None
    known = f"Known: {', '.join(f'{name}:' for name in sorted(schemes))}."
    setting = _SETTINGS.get(what, what)
    return UnknownScheme(
        f"The setting {setting} is {choice!r}; it names no {what.replace('_', ' ')}.",
        f"{_did_you_mean(what, choice, schemes)} {known}".strip(),
    )


def wrong_server_records(choice: str) -> UnknownScheme | None:
    """Return why a choice names no place for server records."""
    return unknown("server_record", choice)


def wrong_llm(choice: str) -> UnknownScheme | None:
    """Return why a choice names no model; none is a choice too."""
    return None if choice in (NO_MODEL, "") else unknown("llm", choice)


def wrong_index(choice: str) -> UnknownScheme | None:
    """Return why a choice names no index; the store's own is a choice too."""
    return unknown("index", choice) if choice else None


def wrong_tool_graph(choice: str) -> UnknownScheme | None:
    """Return why a choice names no tool graph; the store's own is a choice too."""
    return unknown("tool_graph", choice) if choice else None


def wrong_extractor(choice: str) -> UnknownScheme | None:
    """Return why a choice names no extractor; none, and the model, are choices too."""
    return None if choice in ("", *MODEL_CHOICES) else unknown("extractor", choice)


def opener_of(what: str, scheme: str) -> Callable[..., Any]:
    """Return what opens an adapter; only the module of that one is imported."""
    target = _ADAPTERS[what].get(scheme)
    if target is None:
        stranger = load_plugin(adapter_group(what), scheme)
        if not callable(stranger):
            raise ConfigError(
                f"The plugin {scheme} registers no function that opens a {what}.",
                "Have it register one, or choose another.",
            )
        return stranger
    module, _, name = target.partition(":")
    opener: Callable[..., Any] = getattr(import_module(module), name)
    return opener


def adapter_group(what: str) -> str:
    """Return under which group of entry points other packages register adapters of a kind."""
    return "sextant.indexes" if what == "index" else f"sextant.{what}s"


def missing_extra(scheme: str, error: ImportError) -> MissingExtra:
    """Return an error that says which extra has the package that is missing."""
    return MissingExtra(
        f"{scheme}: needs the package {error.name or scheme}, which is not installed.",
        f"Run: pip install 'sextant[{_EXTRAS.get(scheme, scheme)}]'",
    )


def _did_you_mean(what: str, choice: str, schemes: Set[str]) -> str:
    """Return what somebody may have meant who left out a scheme, or misspelt it."""
    is_folder = what == "store" and choice and ":" not in choice
    if is_folder and choice not in schemes:
        return f"Did you mean sqlite:{choice}?"
    close = get_close_matches(choice.partition(":")[0].lower(), schemes, 1)
    return f"Did you mean {close[0]}:?" if close else ""
