"""Who else registered what: the entry points of other packages, by group. Imports none of them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, distributions

from sextant.errors import ConfigError, MissingExtra

STORES = "sextant.stores"
INDEXES = "sextant.indexes"
TOOL_GRAPHS = "sextant.tool_graphs"
SERVER_RECORDS = "sextant.server_records"
EMBEDDERS = "sextant.embedders"
LLMS = "sextant.llms"
EXTRACTORS = "sextant.extractors"
RETRIEVERS = "sextant.retrievers"
FORMATS = "sextant.formats"
DOORS = "sextant.doors"
RELATIONS = "sextant.relations"
GUARDRAILS = "sextant.guardrails"
ACTIONS = "sextant.actions"
AGENTS = "sextant.agents"
SETTINGS = "sextant.settings"
GROUPS = (
    *(STORES, INDEXES, TOOL_GRAPHS, SERVER_RECORDS, EMBEDDERS, LLMS),
    *(EXTRACTORS, RETRIEVERS, FORMATS, DOORS, RELATIONS, GUARDRAILS, ACTIONS),
    *(AGENTS, SETTINGS),
)


@cache
def _installed() -> EntryPoints:
    """Read every package's metadata, once: what is installed does not change under a process."""
    own = (point for one in distributions() for point in one.entry_points)
    return EntryPoints(point for point in own if point.group in GROUPS)


def registered(group: str) -> dict[str, EntryPoint]:
    """Return what packages registered in a group, by name; one name is of one package."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(_installed().select(group=group)):
        other = found.setdefault(point.name, point)
        if _package(other) != _package(point):
            raise ConfigError(
                f"Two packages register {point.name} in {group}: "
                f"{_package(other)} and {_package(point)}.",
                "Uninstall one of them.",
            )
    return found


def _package(point: EntryPoint) -> str:
    """Return who registered something: the package, or the module where no package is known."""
    return point.dist.name if point.dist else point.module


def load_plugin(group: str, name: str) -> object:
    """Import what a package registered under a name."""
    point = registered(group)[name]
    try:
        return point.load()
    except ImportError as error:
        missing = error.name or point.value
        raise MissingExtra(
            f"The plugin {name} needs the package {missing}, which is not installed.",
            f"Run: pip install {missing}",
        ) from error
    except AttributeError as error:
        raise ConfigError(
            f"The plugin {name} registers {point.value}, which is not there: {error}.",
            "Install another version of it, or uninstall it.",
        ) from error


def plugin_names() -> frozenset[str]:
    """Return every name that a plugin goes by: each may have a section in the settings."""
    return frozenset(name for group in GROUPS for name in registered(group))
