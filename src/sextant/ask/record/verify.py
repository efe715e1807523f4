"""Whether an answer still holds: its sources stand, its sentences are theirs, and nothing is added.

Knows how an answer is put together, and nothing of how its evidence was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sextant.ask.cite import lines_of
from sextant.ask.outside import FOREIGN
from sextant.ask.record.fields import digest_of
from sextant.ask.record.ground import Ground, ground_of
from sextant.ask.record.lines import loose_lines, text_lines, unknown_labels
from sextant.ports import Embedder, Store
from sextant.text.prose.figures import figures
from sextant.text.words import Words
from sextant.types import Answer, Citation, Scope, Statement


class What(StrEnum):
    """What a check is about."""

    CITATION = "citation"
    STATEMENT = "statement"
    TEXT = "text"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: a citation by its label, a statement by its number."""

    what: What
    name: str
    ok: bool
    says: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All that was looked at. One check that fails is enough for the answer not to hold."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether the answer holds."""
        return all(check.ok for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that say why it does not."""
        return tuple(check for check in self.checks if not check.ok)


@dataclass(frozen=True, slots=True)
class Measure:
    """What prose is held against sources by: words, and an embedder where those leave doubt."""

    words: Words
    embedder: Embedder | None = None


ENGLISH = Measure(Words())


async def verify(
    store: Store, scope: Scope, answer: Answer, digest: str = "", by: Measure = ENGLISH
) -> Verification:
    """Compare an answer with what the scope sees now, and with the digest it was saved under."""
    ground = await ground_of(store, scope, answer)
    labels = Counter(one.label for one in answer.citations)
    used = frozenset(label for one in answer.statements for label in one.labels)
    wrongs = [_wrong_citation(one, labels, used, ground) for one in answer.citations]
    cited = _Cited(
        {one.label: one for one in answer.citations},
        frozenset(one.label for one, wrong in zip(answer.citations, wrongs, strict=True) if wrong),
        frozenset([*text_lines(answer), *_blocks(answer)]),
        await _borne_out(answer, ground, by),
    )
    return Verification(
        (
            *map(_citation, answer.citations, wrongs),
            *(_statement(at, one, cited, ground) for at, one in enumerate(answer.statements, 1)),
            *_text(answer, by.words),
            *_record(answer, digest),
        )
    )


@dataclass(frozen=True, slots=True)
class _Cited:
    """The sources of an answer by their labels, those that do not stand, its lines, and what a
    model wrote that its sources say.
    """

    sources: Mapping[str, Citation]
    wrong: frozenset[str]
    lines: frozenset[str]
    borne_out: frozenset[str]


def _citation(citation: Citation, wrong: str) -> Check:
    return Check(What.CITATION, citation.label, not wrong, wrong or "the quote stands")


def _wrong_citation(
    citation: Citation, labels: Mapping[str, int], used: frozenset[str], ground: Ground
) -> str:
    """Return what is wrong with a citation, or nothing."""
    if labels[citation.label] > 1:
        return "another source has the same label"
    if citation.label not in used:
        return "no statement rests on it"
    if citation.document_id.startswith(FOREIGN):
        return "the passage is another server's, and cannot be checked here"
    if citation.document_id not in ground.documents:
        return f"there is no document {citation.document_id!r}, or it is not for you to see"
    if not ground.is_same_version(citation):
        if ground.quote_stands_somewhere(citation):
            return "the document has changed, but the quote still stands in it"
        return "the document has changed, and the quote is gone"
    passage = ground.passages.get(citation.chunk_id)
    if passage is None or passage.document.id != citation.document_id:
        return f"the document has no chunk {citation.chunk_id!r}"
    if not ground.quote_stands_there(citation):
        place = f"{citation.start} to {citation.end}"
        return f"the quote is not what stands at {place} in this version of the document"
    if (citation.title, citation.url) != (passage.title, passage.url):
        return "the document has another title or address"
    return ""


def _statement(number: int, statement: Statement, cited: _Cited, ground: Ground) -> Check:
    wrong = _wrong_statement(statement, cited, ground)
    fine = "its source says it in other words" if statement.written else "its source says it"
    fine = "the graph says it" if statement.relations else fine
    return Check(What.STATEMENT, str(number), not wrong, wrong or fine)


def _wrong_statement(statement: Statement, cited: _Cited, ground: Ground) -> str:
    """Return what is wrong with a statement, or nothing."""
    by_label = cited.sources
    sources = [by_label[label] for label in statement.labels if label in by_label]
    if not statement.labels:
        return "it rests on no source"
    if len(sources) < len(statement.labels):
        unknown = next(label for label in statement.labels if label not in by_label)
        return f"its label {unknown!r} belongs to no source"
    if lines_of(statement) not in cited.lines:
        return "it does not stand in the answer like this, with its labels"
    wrong = _unread(statement, sources, ground) if statement.relations else ""
    standing = [one for one in sources if one.label not in cited.wrong]
    if wrong or not standing:
        return wrong or "none of its sources stands as it was cited"
    if statement.relations:
        return ""
    if statement.written:
        return _unsupported(statement, standing, cited)
    return _unsaid(statement, standing, ground)


def _unread(statement: Statement, sources: Sequence[Citation], ground: Ground) -> str:
    """Return what is wrong with a statement that was read off the graph, or nothing."""
    for relation in statement.relations:
        edge = f"{relation.source} —{relation.kind}→ {relation.target}"
        if not ground.has_edge(relation):
            return f"nothing says {edge} any more"
        if not any(ground.supports(relation, one) for one in sources):
            return f"no source that it rests on says {edge}"
    return "" if ground.reads(statement) else "that is not what its relations say"


def _blocks(answer: Answer) -> Iterator[str]:
    """Yield the blocks that stand in the text of an answer as they should."""
    for shown in (lines_of(one) for one in answer.statements if one.block):
        if shown in answer.text:
            yield shown


def _unsaid(statement: Statement, sources: Sequence[Citation], ground: Ground) -> str:
    """Return what is wrong with a statement that was taken from a source, or nothing."""
    if statement.marked and not statement.has_point:
        return "what is marked in it is no part of it"
    if statement.block:
        is_shown = any(ground.shows(one, statement) for one in sources)
        return "" if is_shown else "no source that it rests on has this block"
    if not any(ground.says(one, statement.text) for one in sources):
        return "no source that it rests on says it in these words"
    for one in sources:
        if not figures(statement.text) <= figures(" ".join([*ground.above(one), one.quote])):
            return f"its source {one.label!r} has other numbers"
    return ""


def _unsupported(statement: Statement, standing: Sequence[Citation], cited: _Cited) -> str:
    """Return what is wrong with a statement that a model wrote, or nothing."""
    if len(standing) < len(statement.labels):
        return "one of its sources does not stand as it was cited"
    return "" if lines_of(statement) in cited.borne_out else "no source that it rests on says it"


async def _borne_out(answer: Answer, ground: Ground, by: Measure) -> frozenset[str]:
    """Return the lines that a model wrote and their sources say."""
    said = []
    for statement in answer.statements:
        sources = [one for one in answer.citations if one.label in statement.labels]
        if statement.written and await ground.bears_out(
            sources, statement.text, by.words, by.embedder
        ):
            said.append(lines_of(statement))
    return frozenset(said)


def _text(answer: Answer, words: Words) -> Iterator[Check]:
    """Yield what stands in the text and belongs to no statement."""
    labels = frozenset(one.label for one in answer.citations)
    for line in loose_lines(answer, words):
        for label in unknown_labels(line, labels):
            yield Check(What.TEXT, line, False, f"the label {label!r} belongs to no source")
        yield Check(What.TEXT, line, False, "the text says more than the statements do")


def _record(answer: Answer, digest: str) -> Iterator[Check]:
    if digest:
        same = digest == digest_of(answer)
        says = "it is as it was saved" if same else "it was changed after it was saved"
        yield Check(What.RECORD, digest, same, says)
