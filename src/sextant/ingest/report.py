"""What a run of ingest did, and what it tells while it works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.values import Refusal, Unresolved
from sextant.types import Document, Usage


@dataclass(slots=True)
class ByModel:
    """What a language model read, or would read: chunks, findings, tokens, and what they cost.

    ``wanted`` chunks were without its reading; of these some were known from earlier calls, some
    read now, and some failed; the rest was left, and ``stopped`` says why. Costs are None where no
    prices are set.
    """

    model: str
    wanted: int = 0
    known: int = 0
    read: int = 0
    failed: int = 0
    names: int = 0
    relations: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    estimated: Usage = field(default_factory=Usage)
    estimated_cost: float | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    failure: str = ""
    stopped: str = ""

    @property
    def left(self) -> int:
        """How many chunks nobody tried to read."""
        return self.wanted - self.known - self.read - self.failed


@dataclass(slots=True)
class Report:
    """What came in, what did not and why. Refusals beyond a number are counted, not kept.

    ``documents`` are the ids of those that are in now, as they came, as far as they are kept, and
    ``opened`` those that more may see than before, by the personas that they were for.
    ``unresolved`` is what records refer to and is not there yet; it is joined when it comes.
    ``vectors`` says how many chunks of all have theirs, once all that came in is found by words.
    ``vanished`` are documents that a sync would remove. Of the items found some are read, and those
    that are also in the store, or refused, are done. ``listed`` are all documents, where asked for.
    """

    found: int = 0
    read: int = 0
    done: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    failed: list[Refusal] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    by_model: ByModel | None = None
    vectors: Vectors | None = None
    documents: list[str] = field(default_factory=list)
    opened: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    unresolved: list[Unresolved] = field(default_factory=list)
    unresolved_count: int = 0
    vanished: list[str] = field(default_factory=list)
    vanished_count: int = 0
    listed: list[Document] = field(default_factory=list)

    @property
    def remarks(self) -> Counter[str]:
        """What there is to tell beside counts and refusals, and how often it was to be told."""
        told = self.notes + Counter(_opening(*one) for one in self.opened.items())
        if self.vanished_count:
            told[_vanishing(self.vanished, self.vanished_count)] = 1
        return told

    def name(self, document_ids: Iterable[str]) -> None:
        """Note which documents are in."""
        self.documents += islice(document_ids, _MOST_KEPT - len(self.documents))

    @property
    def written(self) -> int:
        """How many documents were written."""
        return self.added + self.updated

    def miss(self, unresolved: Sequence[Unresolved]) -> None:
        """Note what is referred to and not there."""
        self.unresolved_count = len(unresolved)
        self.unresolved = list(unresolved[:_MOST_KEPT])

    def leave(self, document_ids: Sequence[str]) -> None:
        """Note which documents stay though their files are gone or left out."""
        self.vanished_count += len(document_ids)
        self.vanished += document_ids[: _MOST_KEPT - len(self.vanished)]

    def refuse(self, refusal: Refusal) -> None:
        """Note what was not taken in."""
        kept = self.skipped if refusal.skipped else self.failed
        self.refused["skipped" if refusal.skipped else "failed"] += 1
        if len(kept) < _MOST_KEPT:
            kept.append(refusal)


def _opening(personas: tuple[str, ...], document_ids: list[str]) -> str:
    named = some_of(document_ids, len(document_ids))
    asked = " ".join(f"--persona {persona}" for persona in personas)
    return (
        f"what only {', '.join(personas)} could see is open to more by the rules and options of "
        f"this run: {named}; to go back, ingest it again with {asked} or the rule that hid it"
    )


def _vanishing(document_ids: list[str], count: int) -> str:
    named = some_of(document_ids, count)
    if count == 1:
        return f"1 document stays though its file is gone or left out: {named}; --sync removes it"
    return (
        f"{count:,} documents stay though their files are gone or left out: {named}; "
        "--sync removes them"
    )


def some_of(names: Sequence[str], count: int) -> str:
    """Return the first few of so many names, and how many more there are."""
    more = count - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more:,} more" if more > 0 else "")


_MOST_KEPT, _FEW = 1_000, 5
Emit = Callable[[Report], None]
"""Called from time to time with the report as it grows."""


def ignore(_: Report) -> None:
    """Listen to nothing."""
