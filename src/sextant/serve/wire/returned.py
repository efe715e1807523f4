"""A reply that comes back, and the answer that it told. What was changed meanwhile shows later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sextant.ask.record.compact import saved_compact
from sextant.ask.record.fields import FORMAT
from sextant.ask.record.load import MOST, Saved, answer_of
from sextant.errors import InvalidInput, TooLarge
from sextant.ingest.keeping.draft import relation_id
from sextant.serve.wire.answer import AskReply, SaidRelation, StatementShape, StepShape
from sextant.types import Answer, Relation


def read_reply(text: str) -> Saved:
    """Return the answer that a reply of POST /api/ask told, as somebody kept it in a file."""
    if len(text) > MOST:
        raise TooLarge(f"A reply has at most {MOST:,} characters.", "Ask again.")
    try:
        reply = AskReply.model_validate_json(text)
    except ValidationError:
        raise InvalidInput(
            "This is not a whole reply of POST /api/ask.", "Keep the reply as it came."
        ) from None
    return saved_in(reply)


def saved_in(reply: AskReply) -> Saved:
    """Return the answer that a reply told, whole or compact, under the digest that came with it."""
    answer = answer_in(reply)
    if reply.trace.form == "full":
        return Saved(answer, reply.answer_id)
    return saved_compact(answer, reply.answer_id, reply.trace.digest)


def answer_in(reply: AskReply) -> Answer:
    """Return the answer that a reply told."""
    verdict = {
        "sufficient": reply.sufficient,
        "confidence": reply.confidence,
        "key_points": [one.model_dump(by_alias=False) for one in reply.key_points],
        "missing": reply.missing,
        "follow_ups": [one.model_dump(by_alias=False) for one in reply.follow_ups],
    }
    steps = reply.trace.steps
    return answer_of(
        {
            "format": FORMAT,
            "question": reply.question,
            "text": reply.answer,
            "verdict": verdict,
            "statements": [_told_statement(one) for one in reply.statements],
            "citations": [one.model_dump(by_alias=False) for one in reply.citations],
            "trace": {
                "now": reply.trace.now,
                "commit": reply.trace.commit,
                "locale": reply.trace.locale,
                "steps": [_told_step(one) for one in steps],
            },
            "digest": reply.answer_id or "none",
            "timing": [{"step": one.name, "milliseconds": one.milliseconds} for one in steps],
        }
    )


def _told_statement(shape: StatementShape) -> dict[str, Any]:
    return {
        "text": shape.text,
        "labels": shape.labels,
        "relations": [_told_relation(one) for one in shape.relations],
        "written": shape.written,
        "otherwise": shape.otherwise,
        "block": shape.block,
        "headings": shape.headings,
        "goes_on": shape.goes_on,
        "marked": shape.marked,
    }


def _told_relation(shape: SaidRelation) -> dict[str, Any]:
    """Return an edge as the answer has it: under one name for each end, and no id made for it."""
    own = shape.model_dump(by_alias=False, exclude=_OTHER_NAMES)
    evidence = own.pop("evidence_chunk_ids")
    if own["id"] == relation_id(Relation(shape.source, shape.target, shape.kind)):
        own["id"] = ""
    return {**own, "evidence": evidence}


_OTHER_NAMES = {"source_entity_id", "target_entity_id", "relation_type"}


def _told_step(shape: StepShape) -> dict[str, Any]:
    facts = {name: _told_fact(name, value) for name, value in shape.facts.items()}
    return {"name": shape.name, "facts": facts, "fallback": shape.fallback}


_FRACTIONS = frozenset(
    {"score", "scores", "total", "weights", "signs", "confidence", "by_model", "by_signs", "cost"}
)
"""Facts that are fractions, or hold nothing else: a client in JavaScript sends 1.0 back as 1."""


def _told_fact(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        whole = name if name in _FRACTIONS else ""
        return {own: _told_fact(whole or own, one) for own, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_told_fact(name, one) for one in value]
    if name in _FRACTIONS and type(value) is int and abs(value) <= 2**53:
        return float(value)
    return value
