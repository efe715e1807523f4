"""Sextant: the grounding layer for copilots.

``from sextant import …`` is the public API: these names, their fields and their methods keep their
meaning within a major version. Who writes adapters also has ``sextant.plugins`` and
``sextant.testing``, kept in the same way. Every other module may change in any release.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sextant.version import __version__

if TYPE_CHECKING:
    from sextant.ask.question import Question
    from sextant.build import open_sextant
    from sextant.core import Sextant
    from sextant.errors import SextantError
    from sextant.retrieval.recorder import Budget
    from sextant.settings import Settings, load_settings
    from sextant.toolbox.catalogue.sample import sample_tools
    from sextant.types import (
        Answer,
        Chunk,
        Citation,
        Document,
        Entity,
        Hit,
        Put,
        Ranked,
        Relation,
        Remove,
        Scope,
        Tool,
        ToolRequest,
        ToolUse,
        Turn,
        UsedTool,
        Weights,
    )

__all__ = [
    "Answer",
    "Budget",
    "Chunk",
    "Citation",
    "Document",
    "Entity",
    "Hit",
    "Put",
    "Question",
    "Ranked",
    "Relation",
    "Remove",
    "Scope",
    "Settings",
    "Sextant",
    "SextantError",
    "Tool",
    "ToolRequest",
    "ToolUse",
    "Turn",
    "UsedTool",
    "Weights",
    "__version__",
    "load_settings",
    "open_sextant",
    "sample_tools",
]

_HOMES = {
    "Budget": "sextant.retrieval.recorder",
    "Question": "sextant.ask.question",
    "Settings": "sextant.settings",
    "Sextant": "sextant.core",
    "SextantError": "sextant.errors",
    "load_settings": "sextant.settings",
    "open_sextant": "sextant.build",
    "sample_tools": "sextant.toolbox.catalogue.sample",
}
"""Where a name lives that is no noun of ``sextant.types``. Loaded when it is asked for: the command
line's help needs none of them."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "sextant.types")), name)


def __dir__() -> list[str]:
    return list(__all__)
