"""Whether the evidence is enough, as a model sees it. A key point must stand in its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.grounding.support import is_supported
from sextant.ask.model_steps.rerank import shown
from sextant.ask.model_steps.step import Talk
from sextant.ask.model_steps.values import aligned, missing_in
from sextant.prompting.fence import fenced_text
from sextant.retrieval.recorder import Notes
from sextant.text.words import Words
from sextant.types import FollowUp, Hit, JsonObject, KeyPoint, Verdict

_EVEN, _BELOW = 0.5, 0.49
"""From where on what is known counts as known, as it does offline, and the last before it."""


async def judged(
    talk: Talk, text: str, hits: Sequence[Hit], offline: Verdict, words: Words, notes: Notes
) -> Verdict:
    """Return the model's verdict on the chosen passages, or the offline one.

    Nobody has calibrated a stranger's confidence: it counts as much as our own.
    """
    sources = sources_of(hits)
    if not sources:
        return offline
    reply = await talk.ask(talk.agent("evidence"), _judge_prompt(text, sources, offline), notes)
    if reply is None:
        return offline
    limits = talk.chat.workflow.limits
    given = reply["confidence"]
    own = float(given) if isinstance(given, int | float) else 0.0
    notes.facts |= {"by_model": own, "by_signs": offline.confidence}
    missing = missing_in(reply, text, limits.missing)
    mean = round((own + offline.confidence) / 2, 4)
    sufficient = _settled(bool(reply["is_sufficient"]), offline.sufficient, mean)
    return replace(
        offline,
        sufficient=sufficient,
        confidence=max(mean, _EVEN) if sufficient else min(mean, _BELOW),
        key_points=_key_points(reply, sources, words) or offline.key_points,
        missing=missing or offline.missing,
        follow_ups=_follow_ups(reply)[: limits.followups] or offline.follow_ups,
    )


def _settled(by_model: bool, by_signs: bool, confidence: float) -> bool:
    """Whether it is enough: where the two are not of one mind, what they think together decides.

    A page that talks a model into doubt, or into trust, has not talked us into it.
    """
    return by_model if by_model == by_signs else confidence >= _EVEN


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
    if reply["is_sufficient"]:
        return ()
    pairs = aligned(reply, "followup_queries", "followup_retrieval_goals")
    return tuple(FollowUp(query, goal or query) for query, goal in pairs if query)
