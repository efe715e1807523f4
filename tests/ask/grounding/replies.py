"""Models, pages and replies for tests of written answers, in one line each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from sextant.ask.grounding.sources import sources_of
from sextant.ask.model_steps.answer import Writing, Written, written
from sextant.ask.workflow.load import load
from sextant.retrieval.events import Event, Text
from sextant.testing.scripted import Script, Scripted
from sextant.types import Passage, Reply, Verdict
from tests.ask.pieces import WORDS, hit, passage

AGENT = load().agents["answer"]
QUESTION = "Who owns Process X, and when does it run?"
ENOUGH = Verdict(True, 0.9)
PAGE = passage(
    "docs/x.md",
    "Process X runs every night at 05:10 and pays refunds. It is owned by Team Y. "
    "It depends on Service A and does not run on Sundays.",
    "Process X",
    start=100,
    url="https://wiki.example/x",
)
POLICY = passage("docs/p.md", "Team Y is called after 15 minutes.", "Escalation Policy")


def reply(markdown: str, *labels: str) -> str:
    """Return a reply as the schema wants it."""
    return json.dumps({"answer_markdown": markdown, "sources": list(labels)})


def wrote(
    script: Script | str | Reply,
    *pages: Passage,
    question: str = QUESTION,
    verdict: Verdict = ENOUGH,
    mark: bool = False,
    heard: list[Event] | None = None,
    paths: Sequence[str] = (),
) -> Written:
    """Return what is written from pages when a model replies as the script says."""
    model = script if callable(script) else lambda _: script
    sources = sources_of([hit(one) for one in pages or (PAGE, POLICY)])
    wanted = Writing(
        question,
        sources,
        verdict,
        WORDS,
        paths=tuple(paths),
        emit=(heard if heard is not None else []).append,
        mark=mark,
    )
    return asyncio.run(written(Scripted(model), AGENT, wanted))


def text_of(heard: Sequence[Event]) -> str:
    """Return what a listener heard of the text."""
    return "".join(one.text for one in heard if isinstance(one, Text))
