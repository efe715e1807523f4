"""Does a question need knowledge, as a model sees it? Its no ends the run with its message.

A cautious setting lets its no count only where nothing is found, and in our own words.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import text_of
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.route import Route
from sextant.prompting.fence import fenced_text
from sextant.retrieval.recorder import Notes
from sextant.text.markdown import inert, readable

_WHY = "the model finds nothing asked"


async def routed(
    talk: Talk,
    text: str,
    now: datetime,
    offline: Route,
    notes: Notes,
    phrases: Phrases = ENGLISH,
    *,
    is_cautious: bool = False,
) -> Route:
    """Return the way of a question: to the knowledge, or back with what the model says to it."""
    said = f"Current date: {now.date().isoformat()}\n\n{fenced_text('message', text)}"
    reply = await talk.ask(talk.agent("intent-router"), said, notes)
    if reply is None or reply["should_run_rag"]:
        return offline
    if is_cautious:
        return replace(offline, reply=phrases.chat, why=_WHY)
    message = inert(readable(text_of(reply["assistant_message"])))
    if not message:
        return Route(False, phrases.chat, _WHY)
    return Route(False, message, _WHY, is_unsourced=True)
