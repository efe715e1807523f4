"""What is being done, in a few words for whoever waits. Knows no protocol."""

from __future__ import annotations

from sextant.types import Step

_STEPS = {
    "look": "looking at the image…",
    "resolve": "reading the question…",
    "plan": "planning the search…",
    "link": "looking for names…",
    "expand": "following relations…",
    "retrieve": "searching…",
    "rephrase": "searching in other words…",
    "rank": "ranking what was found…",
    "rerank": "choosing passages…",
    "judge": "weighing the evidence…",
    "answer": "writing the answer…",
}
_MOST_NAMES = 3
"""Names in one line of status: more do not fit beside a spinner."""


def status_of_step(name: str) -> str:
    """Return what is done while a step is under way, or nothing where nobody needs to know."""
    return _STEPS.get(name, "")


def status_of_names(step: Step) -> str:
    """Return whom the question names, once the step that links names has ended."""
    found = step.facts.get("entities") if step.name == "link" else None
    if not isinstance(found, list) or not found:
        return ""
    names = dict.fromkeys(str(one["name"]) for one in found)
    return f"looking up {', '.join(list(names)[:_MOST_NAMES])}…"
