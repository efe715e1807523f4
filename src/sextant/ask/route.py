"""Whether a question needs knowledge. Small talk gets a short reply; in doubt it is a question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes: to the knowledge, or back with a reply; and why."""

    knowledge: bool
    reply: str
    why: str


def route(text: str) -> Route:
    """Decide whether a text asks for knowledge."""
    if not any(sign.isalnum() for sign in text):
        return Route(False, "Please write a question.", "no words")
    return Route(True, "", "a question")
