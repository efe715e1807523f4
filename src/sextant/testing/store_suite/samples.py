"""Small knowledge that suites write and search. Its vectors point where its numbers say."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from sextant.types import OPERATOR, Chunk, Document, Entity, Pieces, Put, Relation, Scope

WIDTH = 16
SCOPE = Scope("acme")
AUDITOR = Scope("acme", personas=frozenset({"auditor"}))
OPERATOR_SCOPE = Scope("acme", roles=frozenset({OPERATOR}))


def direction(*lengths: float) -> NDArray[np.float32]:
    """Return a vector that points along the first axes by these lengths."""
    vector = np.zeros(WIDTH, np.float32)
    vector[: len(lengths)] = lengths
    return vector


def pieces(*spans: tuple[int, int]) -> Pieces:
    """Return pieces that stand at these places, each with a direction of its own."""
    codes = 127 * np.eye(len(spans), WIDTH, dtype=np.int8)
    return Pieces(np.array(spans, np.int32).reshape(-1, 2), codes)


def day(number: int) -> datetime:
    """Return a day in January 2026."""
    return datetime(2026, 1, number, tzinfo=UTC)


def runbook() -> Put:
    """Return a runbook of Service A with two chunks, of which one has pieces."""
    return Put(
        Document(
            "runbook",
            "Runbook of Service A",
            "https://example.test/runbook",
            "runbook",
            "en",
            frozenset({"ops", "critical"}),
            created=day(1),
            modified=day(10),
            reputation=0.9,
            metadata={"author": "Team Y"},
        ),
        (
            Chunk(
                "runbook#c1",
                "Restart the pods when Service A fails.",
                0,
                38,
                ("Restart",),
                1,
                ("a",),
            ),
            Chunk(
                "runbook#c2",
                "Process X stops without Service A.",
                40,
                74,
                ("Impact",),
                2,
                ("a", "x"),
            ),
        ),
        (
            Entity("a", "Service A", "service", frozenset({"SvcA"}), {"tier": "1"}),
            Entity("x", "Process X", "process"),
        ),
        (
            Relation("x", "a", "depends_on", 0.9, 1.0, ("runbook#c2",)),
            Relation("a", "y", "owned_by", 0.5, 1.0, ("runbook#c1",)),
        ),
        np.stack([direction(1.0, 0.2), direction(0.2, 1.0)]),
        pieces=(pieces((0, 16), (17, 38)), None),
    )


def policy() -> Put:
    """Return a policy that confirms one of the runbook's relations."""
    return Put(
        Document("policy", "Escalation policy", source_type="policy", modified=day(20)),
        (
            Chunk(
                "policy#c1",
                "Team Y owns the escalation of Service A.",
                0,
                40,
                entity_ids=("a", "y"),
            ),
        ),
        (Entity("y", "Team Y", "team"), Entity("a", "The A service", "service")),
        (
            Relation("a", "y", "owned_by", 0.8, 2.0, ("policy#c1",)),
            Relation("y", "z", "escalates_to", 0.7, 1.0, ("policy#c1",)),
        ),
        direction(0.0, 0.3, 1.0)[None],
    )


def secret() -> Put:
    """Return a document for auditors only."""
    return Put(
        Document("secret", "Audit of Service A", personas=frozenset({"auditor"}), reputation=1.0),
        (
            Chunk(
                "secret#c1",
                "Service A failed its audit; pods were restarted.",
                0,
                48,
                entity_ids=("a",),
            ),
        ),
        (Entity("a", "Secret A", "service"), Entity("q", "Quiet Q", "service")),
        (Relation("a", "y", "owned_by", 1.0, 5.0, ("secret#c1",)), Relation("q", "a", "calls")),
        direction(1.0)[None],
        pieces=(pieces((0, 27), (28, 48)),),
    )
