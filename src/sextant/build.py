"""From settings to a Sextant: which adapter a string means. The only importer of stores and llms.

``scheme:rest`` picks an adapter here or, in the same way, one that another package registers under
the entry point groups ``sextant.stores``, ``sextant.indexes``, ``sextant.embedders``,
``sextant.llms``, ``sextant.extractors``, ``sextant.tool_graphs`` and ``sextant.server_records``. A
door is picked by its name alone, and comes from ``sextant.doors``.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import AsyncExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sextant.ask.question import Means
from sextant.core import Sextant
from sextant.entrypoints import load_plugin, registered
from sextant.errors import ConfigError, MissingExtra, SextantError, UnknownScheme
from sextant.ports import (
    ChatModel,
    Embedder,
    Extractor,
    FollowingIndex,
    Progress,
    Retriever,
    Store,
    ToolGraph,
    ToolServer,
)
from sextant.server_ports import ServerRecords
from sextant.settings import (
    MODEL_CHOICES,
    NO_MODEL,
    Settings,
    ToolServerSettings,
    load_settings,
)
from sextant.spans import Tracer
from sextant.text.words import Words
from sextant.types import EmbedderIdentity

if TYPE_CHECKING:
    from sextant.ask.model_steps.chat import Chat
    from sextant.ask.workflow.nouns import Agent
    from sextant.core.orchestration import Orchestration
    from sextant.core.pipeline import Pipeline
    from sextant.toolbox.catalogue import ServerSource

STORES = {
    "sqlite": "sextant.stores.sqlite.store:open_store",
    "memory": "sextant.stores.memory.store:open_store",
}
INDEXES = {"memory": "sextant.stores.memory.following:open_index"}
TOOL_GRAPHS = {
    "neo4j": "sextant.stores.neo4j.graph:open_neo4j",
    "neo4j+s": "sextant.stores.neo4j.graph:open_secure_neo4j",
    "bolt": "sextant.stores.neo4j.graph:open_bolt",
    "bolt+s": "sextant.stores.neo4j.graph:open_secure_bolt",
}
EMBEDDERS = {
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
SILENT = "empty"
EXTRACTORS = {"spacy": "sextant.llms.spacy_names:open_extractor"}
SERVER_RECORDS = {
    "sqlite": "sextant.stores.server_records.sqlite:open_records",
    "memory": "sextant.stores.server_records.memory:open_records",
}
DOORS = {
    "rest": "sextant.serve.rest.app:open_door",
    "mcp": "sextant.serve.mcp.door:open_door",
    "copilotkit": "sextant.serve.copilotkit.door:open_door",
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
    "door": DOORS,
}
_SETTINGS = {"server_record": "serve.records", "tool_graph": "toolbox.graph"}
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


async def open_sextant(
    settings: Settings | None = None, *, cached_searches: int = 0, keeps_readers: bool = False
) -> Sextant:
    """Open everything that the settings name: the embedder, the models, then the store.

    So many searches are remembered as long as nothing changes what they find. Processes that read
    files are kept from one run to the next only for who closes what is opened here.
    """
    settings = settings or load_settings()
    async with AsyncExitStack() as opened:
        tracer = open_tracer(settings)
        if tracer:
            opened.push_async_callback(tracer.close)
        embedder = open_embedder(settings)
        opened.push_async_callback(embedder.close)
        chat = await open_chat(settings)
        if chat:
            opened.push_async_callback(chat.close)
        extractor = open_extractor(settings)
        store = await open_store(settings, embedder)
        opened.pop_all()
    return Sextant(
        store, embedder, settings, extractor, chat, tracer, cached_searches, keeps_readers
    )


async def build_orchestration(settings: Settings) -> Orchestration:
    """Open the embedder and the models that the settings name, and no store."""
    from sextant.core.orchestration import Orchestration

    async with AsyncExitStack() as opened:
        tracer = open_tracer(settings)
        if tracer:
            opened.push_async_callback(tracer.close)
        embedder = open_embedder(settings)
        opened.push_async_callback(embedder.close)
        chat = await open_chat(settings)
        opened.pop_all()
    return Orchestration(embedder, chat, settings, tracer)


async def build_pipeline(settings: Settings) -> Pipeline:
    """Open the line alone, over the two servers that the settings name; it opens nothing itself."""
    from sextant.core.pipeline import Pipeline
    from sextant.links.peers import open_peers

    peers, words = open_peers(settings), Words(settings.keyword.language)
    means = Means(peers.knowledge, peers.embedder, settings, words, orchestrator=peers.orchestrator)
    return Pipeline(means, peers.close, open_tracer(settings))


async def open_store(
    settings: Settings, embedder: Embedder | None = None, *, adopt: bool = False
) -> Store:
    """Open the store; adopt takes it whatever embedder and language it was made with.

    Where the settings name an index, that of the store gives way to it.
    """
    identity = embedder.identity if embedder else None
    opener, rest = _adapter("store", settings.store)
    store: Store = await opener(rest, settings, identity, adopt=adopt)
    try:
        if settings.index:
            store = await _with_index(store, settings, identity)
        if settings.toolbox.graph:
            store = await _with_tool_graph(store, settings)
    except BaseException:
        await store.admin.close()
        raise
    return store


async def _with_index(store: Store, settings: Settings, identity: EmbedderIdentity | None) -> Store:
    from sextant.stores.paired.store import pair

    opener, rest = _adapter("index", settings.index)
    index: FollowingIndex = await opener(rest, settings, identity)
    try:
        return pair(store, index, settings.limits)
    except BaseException:
        await index.close()
        raise


async def _with_tool_graph(store: Store, settings: Settings) -> Store:
    """Return the store with another engine for its tools."""
    opener, rest = _adapter("tool_graph", settings.toolbox.graph)
    graph: ToolGraph = await opener(rest, settings)
    return replace(store, tools=graph)


async def open_server_records(settings: Settings, folder: Path) -> ServerRecords:
    """Open the place where servers keep their records; by default that is the server's folder."""
    opener, rest = _adapter("server_record", settings.serve.records)
    records: ServerRecords = await opener(rest, folder)
    return records


def has_keys(settings: Settings, folder: Path) -> bool:
    """Whether keys may have been made; only of a folder can it be said that none were."""
    scheme, _, rest = settings.serve.records.partition(":")
    if scheme != "sqlite":
        return True
    from sextant.stores.server_records import sqlite

    return sqlite.has_keys(rest, folder)


def wrong_server_records(choice: str) -> UnknownScheme | None:
    """Return why a choice names no place for server records."""
    return unknown("server_record", choice)


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder."""
    opener, rest = _adapter("embedder", settings.embedder)
    embedder: Embedder = opener(rest, _keyed(settings, settings.embedder))
    return embedder


def open_llm(settings: Settings, choice: str = "") -> ChatModel | None:
    """Open the language model that is chosen, or that the settings name; none is a choice too."""
    chosen = choice or settings.llm
    if chosen in (NO_MODEL, ""):
        return None
    from sextant.prompting.calls.guarded import guarded
    from sextant.prompting.calls.tracing import traced_model

    opener, rest = _adapter("llm", chosen)
    model: ChatModel = opener(rest, _keyed(settings, chosen))
    return traced_model(guarded(model, settings.model))


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


def _own_model(settings: Settings, agent: Agent) -> ChatModel | None:
    try:
        return open_llm(settings, agent.model)
    except SextantError as error:
        error.message = f"{agent.file}: {error.message}"
        raise


def _keyed(settings: Settings, choice: str) -> Settings:
    """Return the settings with the key file for whom it is: one provider's key is nobody else's."""
    owner = settings.embedder if settings.llm in (NO_MODEL, "") else settings.llm
    if choice.partition(":")[0] == owner.partition(":")[0]:
        return settings
    return replace(settings, model=replace(settings.model, key_file=""))


async def open_chat(settings: Settings) -> Chat | None:
    """Open the models of the workflow, if there is one that speaks."""
    async with AsyncExitStack() as opened:
        model = open_llm(settings)
        if model is None or model.identity.provider == SILENT:
            return None
        opened.push_async_callback(model.close)
        from sextant.ask.model_steps.chat import Chat
        from sextant.ask.workflow.load import load as load_workflow

        workflow, own = load_workflow(settings.workflow), dict[str, ChatModel]()
        for agent in workflow.agents.values():
            other = _own_model(settings, agent) if agent.model else None
            if other:
                opened.push_async_callback(other.close)
                own[agent.name] = other
        offered: list[ChatModel] = []
        for choice in settings.chat.models:
            if more := open_llm(settings, choice):
                opened.push_async_callback(more.close)
                offered.append(more)
        retriever = open_retriever(settings, workflow.agents["retriever"].retriever)
        opened.pop_all()
    return Chat(model, workflow, own, retriever, tuple(offered))


def open_retriever(settings: Settings, choice: str) -> Retriever | None:
    """Open a retriever of somebody else, unless our own is chosen."""
    from sextant.ask.workflow.nouns import OWN_RETRIEVER

    if choice in (OWN_RETRIEVER, ""):
        return None
    opener, rest = _adapter("retriever", choice)
    retriever: Retriever = opener(rest, settings)
    return retriever


def open_tool_server(settings: Settings, choice: str | ToolServerSettings) -> ToolServer:
    """Open an MCP server of others: by its name in the settings, its address, or its command.

    A command is started, so a choice comes from settings or a command line, never from a request.
    """
    from sextant.links.tool_servers.server import open_tool_server as opener

    return opener(choice, settings)


def tool_source(settings: Settings, choice: str) -> ServerSource:
    """Return an MCP server of others as a source of tools: it is opened to be read, then closed."""
    from sextant.links.tool_servers.opening import find_server
    from sextant.toolbox.catalogue import ServerSource

    server = find_server(choice, settings)
    personas = frozenset(server.personas)
    return ServerSource(server.name, lambda: open_tool_server(settings, server), personas)


def open_extractor(settings: Settings) -> Extractor | None:
    """Open the extractor of names, if one is chosen beside the patterns and the model."""
    if settings.ingest.extractor in ("", *MODEL_CHOICES):
        return None
    opener, rest = _adapter("extractor", settings.ingest.extractor)
    extractor: Extractor = opener(rest, settings)
    return extractor


def open_tracer(settings: Settings) -> Tracer | None:
    """Open the way for spans to a collector, if one is set; otherwise nothing is imported."""
    if not settings.telemetry.endpoint:
        return None
    try:
        from sextant.links import otlp
    except ImportError as error:
        raise _missing("otel", error) from error
    return otlp.open_tracer(settings)


def find_door(name: str) -> Callable[..., Any]:
    """Return what opens a door, which takes the house; only the module of that door is imported."""
    wrong = wrong_doors(name)
    if wrong:
        raise wrong
    try:
        return _opener("door", name)
    except ImportError as error:
        raise _missing(name, error) from error


def wrong_doors(names: str) -> UnknownScheme | None:
    """Return which of some names is not a door's; whether it can be opened is not asked."""
    unknown = unknown_doors(names)
    if not unknown:
        return None
    known = sorted({*DOORS, *registered(_group("door"))})
    return UnknownScheme(
        f"The setting serve.doors names {unknown[0]!r}, which is not a door.",
        f"Known: {', '.join(known)}.",
    )


def unknown_doors(names: str) -> list[str]:
    """Return those of some names that are no door's, as they were written."""
    chosen = [name for one in names.split(",") if (name := one.strip())]
    if DOORS.keys() >= {*chosen}:
        return []
    return [name for name in chosen if name not in DOORS and name not in registered(_group("door"))]


def is_there(settings: Settings) -> bool:
    """Whether there is a store to read from; only of a folder can that be said beforehand."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        return True
    from sextant.stores.sqlite.upkeep.folder import is_store

    return is_store(Path(rest).expanduser())


def is_vacant(settings: Settings) -> bool:
    """Whether a store would have to be made: its folder is not there, or there is nothing in it."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        return False
    folder = Path(rest).expanduser()
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def restore(settings: Settings, source: Path, progress: Progress | None = None) -> list[str]:
    """Make the store that the settings name from a backup, and name its tenants."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        raise ConfigError(f"A backup cannot be restored to {settings.store}.", "Use sqlite:FOLDER.")
    from sextant.stores.sqlite.store import restore_store

    return restore_store(source, Path(rest), progress)


def _adapter(what: str, choice: str) -> tuple[Callable[..., Any], str]:
    wrong = unknown(what, choice)
    if wrong:
        raise wrong
    scheme, _, rest = choice.partition(":")
    try:
        return _opener(what, scheme), rest
    except ImportError as error:
        raise _missing(scheme, error) from error


def _group(what: str) -> str:
    """Return under which group of entry points other packages register adapters of a kind."""
    return "sextant.indexes" if what == "index" else f"sextant.{what}s"


def _opener(what: str, scheme: str) -> Callable[..., Any]:
    target = _ADAPTERS[what].get(scheme)
    if target is None:
        stranger = load_plugin(_group(what), scheme)
        if not callable(stranger):
            raise ConfigError(
                f"The plugin {scheme} registers no function that opens a {what}.",
                "Have it register one, or choose another.",
            )
        return stranger
    module, _, name = target.partition(":")
    opener: Callable[..., Any] = getattr(import_module(module), name)
    return opener


def unknown(what: str, choice: str) -> UnknownScheme | None:
    """Return why a choice names no adapter; whether it can be opened is not asked."""
    scheme, colon, _ = choice.partition(":")
    if colon and scheme in _ADAPTERS[what]:
        return None
    schemes = {*_ADAPTERS[what], *registered(_group(what))}
    if colon and scheme in schemes:
        return None
    known = f"Known: {', '.join(f'{name}:' for name in sorted(schemes))}."
    setting = _SETTINGS.get(what, what)
    return UnknownScheme(
        f"The setting {setting} is {choice!r}; it names no {what.replace('_', ' ')}.",
        f"{_did_you_mean(what, choice, schemes)} {known}".strip(),
    )


def _did_you_mean(what: str, choice: str, schemes: Set[str]) -> str:
    """Return what somebody may have meant who left out a scheme, or its colon."""
    if choice in schemes:
        return f"Did you mean {choice}:?"
    is_folder = what == "store" and choice and ":" not in choice
    return f"Did you mean sqlite:{choice}?" if is_folder else ""


def _missing(scheme: str, error: ImportError) -> MissingExtra:
    return MissingExtra(
        f"{scheme}: needs the package {error.name or scheme}, which is not installed.",
        f"Run: pip install 'sextant[{_EXTRAS.get(scheme, scheme)}]'",
    )
