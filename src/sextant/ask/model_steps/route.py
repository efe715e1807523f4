"""Does a question need knowledge, as a model sees it? Its no counts only where nothing is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sextant.ask.model_steps.step import Talk
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.route import Route
from sextant.prompting.fence import fenced_text
from sextant.retrieval.recorder import Notes


async def routed(
    talk: Talk,
    text: str,
    now: datetime,
    offline: Route,
    notes: Notes,
    phrases: Phrases = ENGLISH,
) -> Route:
    """Return the way of a question, with what to reply if it finds nothing and asks for nothing.

    The reply is our own: what a model says here has no source.
    """
    said = f"Current date: {now.date().isoformat()}\n\n{fenced_text('message', text)}"
    reply = await talk.ask(talk.agent("intent-router"), said, notes)
    if reply is None or reply["should_run_rag"] or reply["route"] != "no_rag":
        return offline
    return replace(offline, reply=phrases.chat, why="the model finds nothing asked")
