"""Steps that a language model does better, each beside the offline one that it falls back on.

What the line needs of them is imported when it is first used: without a model, never.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sextant.ask.model_steps.answer import Writing, Written, written
    from sextant.ask.model_steps.evidence import judged
    from sextant.ask.model_steps.orchestrator import ByModel
    from sextant.ask.model_steps.plan import Asking, planned
    from sextant.ask.model_steps.rerank import Batch, reranked
    from sextant.ask.model_steps.route import routed
    from sextant.ask.model_steps.step import Talk

__all__ = [
    "Asking",
    "Batch",
    "ByModel",
    "Talk",
    "Writing",
    "Written",
    "judged",
    "planned",
    "reranked",
    "routed",
    "written",
]

_MODULES = {
    "Asking": "plan",
    "Batch": "rerank",
    "ByModel": "orchestrator",
    "Talk": "step",
    "Writing": "answer",
    "Written": "answer",
    "judged": "evidence",
    "planned": "plan",
    "reranked": "rerank",
    "routed": "route",
    "written": "answer",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
