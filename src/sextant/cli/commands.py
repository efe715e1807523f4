"""Which module has which command: running one imports that module, listing all imports none."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

MARKUP: Any = "markdown"
"""How the help of all commands is written."""


class Command(NamedTuple):
    """Where a command is, and the first sentence of its help; a group has commands of its own."""

    module: str
    summary: str
    app: str = "app"
    is_group: bool = False


COMMANDS = {
    "ask": Command(
        "ask",
        "Answer a question with the sections that say it, cited, or show what comes nearest.",
    ),
    "search": Command(
        "ask",
        "Rank what the knowledge has on a question by relevancy, recency, richness and reputation.",
    ),
    "chat": Command(
        "copilot.chat", "Talk to an agent as a copilot does, with its steps, actions and sources."
    ),
    "agents": Command(
        "copilot.agents",
        "Say who can answer in a chat, what each can do, and what fails.",
        is_group=True,
    ),
    "ingest": Command(
        "ingest", "Take in documents: read, split, find names and facts, store, embed."
    ),
    "documents": Command("documents", "List, show, delete and hand over documents.", is_group=True),
    "entities": Command("entities", "Find entities, and say which names are whose.", is_group=True),
    "relations": Command(
        "entities",
        "Follow relations from entities, strongest first, with the chunks that say so.",
        app="relations_app",
    ),
    "tools": Command(
        "tools",
        "Import tools, select the few that a request needs, and learn from their use.",
        is_group=True,
    ),
    "export": Command(
        "documents",
        "Write all entities, relations and chunks to one JSON file, which `sextant ingest` reads.",
        app="export_app",
    ),
    "keys": Command(
        "keys",
        "Make, list and revoke keys for programs that call `sextant serve` with "
        '`serve.auth = "api-key"`.',
        is_group=True,
    ),
    "llm": Command("llm", "Try the language model that is chosen.", is_group=True),
    "mcp": Command(
        "mcp",
        "Serve the tools of Sextant over MCP on stdin and stdout, for the client that starts this.",
    ),
    "m365": Command(
        "m365",
        "Write the app package for Teams and Microsoft 365 Copilot, and try the bot here.",
        is_group=True,
    ),
    "verify": Command(
        "quality",
        "Check a saved answer against the store: every quote, every relation, every label.",
    ),
    "feedback": Command(
        "quality",
        "Say what an answer or a source was worth; it moves the sources' reputation a little.",
    ),
    "eval": Command("evaluate", "Ask a set of questions, and count the right answers."),
    "profiles": Command(
        "quality", "Save, list and delete ways to rank.", app="profiles_app", is_group=True
    ),
    "serve": Command(
        "serve", "Answer over REST, MCP and to copilots until Ctrl+C, with a token that is printed."
    ),
    "status": Command("store", "Show what the store holds and how its indexes are."),
    "backup": Command("store", "Write all tenants to one file, while the store is in use."),
    "restore": Command("store", "Make a new store from a backup."),
    "rebuild": Command("store", "Derive the indexes anew from the truth."),
    "azure": Command("azure", "Make what the store needs in Azure, and check it.", is_group=True),
    "config": Command("config", "Show each setting, its value, and where it came from."),
    "workflow": Command(
        "workflow", "Show, check, copy and import workflows of agents.", is_group=True
    ),
}


def load(name: str) -> Any:
    """Import the module of a command, and return the command as it is run."""
    found = COMMANDS[name]
    own = getattr(import_module(f"sextant.cli.{found.module}"), found.app)
    around = typer.Typer(rich_markup_mode=MARKUP)
    around.add_typer(own, name=name if found.is_group else None)
    return typer.main.get_group(around).commands[name]


class _Given:
    """Takes what was given where it has its type; typer imports pydantic for every conversion."""

    def __init__(self, parameter: Any) -> None:
        self._typer = parameter.get_runtime_param
        self._type = parameter.type_descriptor.annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as its parameter's type."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self._type == list[str] and all(map(_is_text, value)):
            return list(value)
        if type(value) is self._type and (self._type is not str or _is_text(value)):
            return value
        return self._typer().coerce(value, param=param, ctx=ctx)


def _convert_only_if_needed(command: Any, ctx: Any) -> None:
    for one in (command, *getattr(command, "commands", {}).values()):
        for parameter in one.get_params(ctx):
            given = _Given(parameter)
            parameter.get_runtime_param = lambda given=given: given


def _is_text(value: object) -> bool:
    """Whether pydantic would take it, too: it refuses bytes that are no characters."""
    return isinstance(value, str) and value.encode(errors="replace").decode() == value


class LazyGroup(TyperGroup):
    """Lists commands by their summaries, and loads the one that is run."""

    def __init__(self, *, commands: Any = None, **attributes: Any) -> None:
        listed: dict[str, Any] = {
            name: _listed(name, one.summary) for name, one in COMMANDS.items()
        }
        super().__init__(commands=listed | dict(commands or {}), **attributes)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options that stand before a command."""
        _convert_only_if_needed(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name, the command and what is left for it, or say which names come near."""
        name, listed, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS:
            return name, listed, rest
        loaded = load(name)
        _convert_only_if_needed(loaded, ctx)
        return name, loaded, rest


def _listed(name: str, summary: str) -> TyperCommand:
    return TyperCommand(name, help=summary, rich_markup_mode=MARKUP)
