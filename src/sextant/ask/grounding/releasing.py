"""Checked sentences become an answer, line by line, with its statements and citations.

Whoever listens hears a line once it is sure. Knows no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sextant.ask.cite import Cited, citation_of, lines_of
from sextant.ask.grounding.checking import Checked
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.quotes import Quote
from sextant.text.markdown import inert
from sextant.types import Citation, Json, Statement, Verdict

_HEADING = "## "
_LONGEST = 600
"""A quote is not longer than what can be read at a glance."""

Hear = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, whether it stands apart from the one before, and whether it only leads to others."""

    text: str
    is_apart: bool
    is_frame: bool = False


@dataclass(slots=True)
class Release:
    """An answer as far as it goes: its lines, what they rest on, and what was left out."""

    verdict: Verdict
    hear: Hear
    is_marked: bool = False
    phrases: Phrases = ENGLISH
    statements: list[Statement] = field(default_factory=list)
    sentences: int = 0
    dropped: int = 0
    uncited: int = 0
    _text: str = ""
    _waiting: list[_Line] = field(default_factory=list)
    _quotes: dict[str, list[Quote]] = field(default_factory=dict)
    _denied: bool = False

    def take(self, checked: Checked) -> None:
        """Let a sentence out if its sources say it; what only leads to one waits for one."""
        saying, sentence = checked.saying, checked.sentence
        self.uncited += sentence.unknown + len(sentence.sources) - len(checked.sources)
        line = f"{saying.lead}{inert(sentence.text)}"
        if checked.is_frame:
            self._wait(_Line(line, saying.is_apart, is_frame=True))
            return
        self.sentences += bool(sentence.text)
        if checked.is_denial:
            self._denied = True
            self._wait(_Line(line, saying.is_apart))
        elif checked.is_said:
            self._say(checked)
        elif sentence.text:
            self.dropped += 1
            if self.is_marked:
                self._wait(_Line(f"{line} {self.phrases.unsupported}", saying.is_apart))

    def end(self) -> bool:
        """Let out what still waits, and return whether there is an answer."""
        if not self.statements and (self.verdict.sufficient or not self._denied):
            return False
        self._drop_frames()
        self._let_out()
        if self.verdict.missing and not self.verdict.sufficient:
            asked = [f"- {inert(one)}" for one in self.verdict.missing]
            self._add("\n".join([self.phrases.missing, *asked]))
        return True

    def _wait(self, line: _Line) -> None:
        if line.is_frame and line.text.startswith(_HEADING):
            self._drop_frames()
        self._waiting.append(line)

    def _drop_frames(self) -> None:
        """Forget what was to lead to something that did not come."""
        while self._waiting and self._waiting[-1].is_frame:
            self._waiting.pop()

    def _say(self, checked: Checked) -> None:
        saying, text = checked.saying, checked.sentence.text
        if any(one.text == text for one in self.statements):
            return
        by_chunk = {one.passage.chunk.id: one.label for one in checked.sources}
        statement = Statement(text, tuple(by_chunk.values()), written=True)
        self.statements.append(statement)
        for piece in checked.pieces:
            label = by_chunk[piece.unit.passage.chunk.id]
            self._quotes.setdefault(label, []).append(piece.quote)
        self._wait(_Line(f"{saying.lead}{lines_of(statement)}", saying.is_apart))
        self._let_out()

    def cited(self) -> Cited:
        """Return the answer, each source with the words that say most of what it is cited for."""
        citations = [_citation(label, quotes) for label, quotes in self._quotes.items()]
        return Cited(self._text, tuple(self.statements), tuple(citations))

    def facts(self) -> dict[str, Json]:
        """Return what the trace tells of it."""
        return {
            "sentences": self.sentences,
            "released": len(self.statements),
            "unsupported": self.dropped,
            "removed_citations": self.uncited,
        }

    def _let_out(self) -> None:
        is_first = not self._text
        if is_first and not self.verdict.sufficient and not self._denied:
            self._add(self.phrases.unknown)
            self._add(self.phrases.known)
        for line in self._waiting:
            self._add(line.text, is_apart=line.is_apart or is_first)
            is_first = False
        self._waiting.clear()

    def _add(self, line: str, *, is_apart: bool = True) -> None:
        between = ("\n\n" if is_apart else "\n") if self._text else ""
        self._text += between + line
        self.hear(between + line)


def _citation(label: str, quotes: Sequence[Quote]) -> Citation:
    """Return a source with a quote that spans all that it is cited for, if that is not too long."""
    start, end = quotes[0].start, quotes[0].end
    for quote in quotes[1:]:
        first, last = min(start, quote.start), max(end, quote.end)
        if last - first <= _LONGEST:
            start, end = first, last
    return citation_of(Quote(quotes[0].passage, start, end), label)
