"""Whether the evidence is enough, as a model sees it. A key point must stand in its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.grounding.support import is_supported
from sextant.ask.model_steps.rerank import shown
from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned, missing_in
from sextant.ask.workflow.nouns import WorkflowLimits
from sextant.prompting.fence import fenced_text
from sextant.retrieval.recorder import Notes
from sextant.text.words import Words
from sextant.types import FollowUp, Hit, JsonObject, KeyPoint, Verdict


async def judged(
    talk: Talk, text: str, hits: Sequence[Hit], offline: Verdict, words: Words, notes: Notes
) -> Verdict:
    """Return the model's verdict on the chosen passages, or the offline one.

    The verdict is the model's as its schema has it. Our own confidence stands beside it in the
    trace.
    """
    sources = sources_of(hits)
    if not sources:
        return offline
    said = _judge_prompt(text, sources, offline)
    reply = await talk.ask(talk.agent("evidence"), said, notes)
    if reply is None:
        return offline
    given = reply["confidence"]
    own = float(given) if isinstance(given, int | float) else 0.0
    notes.facts |= {"by_model": own, "by_signs": offline.confidence}
    return replace(
        _verdict(reply, text, talk.chat.workflow.limits),
        confidence=own,
        key_points=_key_points(reply, sources, words) or offline.key_points,
    )


def _verdict(reply: JsonObject, text: str, limits: WorkflowLimits) -> Verdict:
    if reply["is_sufficient"]:
        return Verdict(True, 0.0)
    missing = missing_in(reply, text, limits.missing)
    return Verdict(False, 0.0, (), missing, _follow_ups(reply)[: limits.followups])


def _judge_prompt(text: str, sources: Sequence[Source], offline: Verdict) -> str:
    reasons = [f"{one.label}: {one.hit.why}" for one in sources if one.hit.why]
    blocks = [f"User question:\n{text}", f"Selected chunks:\n{shown(sources)}"]
    if reasons:
        blocks.append(fenced_text("why each was selected", "\n".join(reasons)))
    if offline.missing:
        blocks.append("\n".join(["What may be missing:", *offline.missing]))
    return "\n\n".join(blocks)


def _key_points(reply: JsonObject, sources: Sequence[Source], words: Words) -> tuple[KeyPoint, ...]:
    known = {one.label.casefold(): one.hit.passage for one in sources}
    points = []
    for text, label in aligned(reply, "key_points", "key_point_sources"):
        passage = known.get(label.strip("[] ").casefold())
        if passage is not None and is_supported(text, [passage], words):
            points.append(KeyPoint(text, passage.chunk.id))
    return tuple(points)


def _follow_ups(reply: JsonObject) -> tuple[FollowUp, ...]:
    pairs = aligned(reply, "followup_queries", "followup_retrieval_goals")
    return tuple(FollowUp(query, goal or query) for query, goal in pairs if query)
