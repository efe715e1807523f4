"""Does a question need knowledge, as a model sees it? A no counts only where no name is known."""

from __future__ import annotations

import re
from datetime import datetime

from sextant.ask.evidence.markdown import inert
from sextant.ask.link import link
from sextant.ask.modelled.step import Talk
from sextant.ask.route import REPLIES, Route
from sextant.ask.trace import Notes
from sextant.ports import Store
from sextant.talk.fence import fenced_text
from sextant.types import Scope

_LONGEST = 300
_CLAIMS = re.compile(r"\d|://|www\.|[\[\]<>|`]|(?<=[\w,;] )[A-Z]\w")
"""What a reply without a source may not hold: figures, addresses, markup and names."""


async def routed(
    talk: Talk, store: Store, scope: Scope, text: str, now: datetime, notes: Notes
) -> Route | None:
    """Return a way out where the model finds nothing asked, and no known name is mentioned."""
    said = f"Current date: {now.date().isoformat()}\n\n{fenced_text('message', text)}"
    reply = await talk.ask(talk.agent("intent-router"), said, notes)
    if reply is None or reply["should_run_rag"] or reply["route"] != "no_rag":
        return None
    if await link(store, scope, text):
        notes.facts["overruled"] = (
            "The model saw no need for knowledge, but a known name is asked about."
        )
        return None
    return Route(False, _safe(str(reply["assistant_message"])), "the model found nothing asked")


def _safe(message: str) -> str:
    """Return the model's words if they claim nothing, else our own."""
    own = " ".join(message.split())
    if not own or len(own) > _LONGEST or _CLAIMS.search(own):
        return REPLIES["chat"]
    return inert(own)
