"""Lessons from questions whose answering words are known: of organisations, and of the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.asking.sample import NAME as SAMPLE
from bench.asking.sample import taken_in, training
from bench.asking.sets import SCOPE, settings
from bench.asking.unseen import filled, lines_of, organisations, plain
from bench.teaching.lessons import Course, Lesson, Tokenised, spread
from bench.teaching.looking import looked_at
from sextant.ask.evaluate.cases import Case, question_of
from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.llms.local_nets.wordpiece import WordPiece
from sextant.llms.minilm.embedder import TOKENS
from sextant.text.passages import embeddable
from sextant.text.prose.units import Unit
from sextant.types import Passage, Scope

COURSES = (*organisations(), SAMPLE)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that answer a question, and the end of the id of the document that has them."""

    document: str
    text: str

    def is_in(self, unit: Unit) -> bool:
        """Whether a piece has these words, or is a part of them."""
        document_id = unit.passage.document.id.partition("#")[0]
        if not document_id.endswith(self.document):
            return False
        own = plain(self.text)
        said = (plain(unit.text), plain(unit.passage.chunk.text[unit.start : unit.end]))
        return any(one and own and (one in own or own in one) for one in said)


@dataclass(frozen=True, slots=True)
class Known:
    """A question for whoever asks it, and the words that answer it."""

    id: str
    scope: Scope
    question: Question
    is_answerable: bool
    quotes: Sequence[Quote]


async def course_of(
    name: str, stores: Path, tokenizer: WordPiece, like: Question, limit: int | None
) -> Course:
    """Ask all that is asked about an organisation; its store is made once, in this folder."""
    known, sextant = await (_sample(stores, like) if name == SAMPLE else _own(name, stores, like))
    shelf, lessons = _Shelf(tokenizer), list[Lesson]()
    async with sextant:
        for one in spread(known, limit):
            lessons += await _lessons(sextant, one, shelf)
    return Course(name, shelf.passages, lessons)


async def _own(name: str, stores: Path, like: Question) -> tuple[list[Known], Sextant]:
    lines = lines_of(name)
    asked = [one for one in lines if "question" in one]
    quotes = [[Quote(own["document"], own["text"]) for own in one["quotes"]] for one in asked]
    known = [
        Known(f"{name}-{at}", SCOPE, replace(like, text=one["question"]), bool(own), own)
        for at, (one, own) in enumerate(zip(asked, quotes, strict=True))
    ]
    return known, await filled(name, lines, stores / name)


async def _sample(stores: Path, like: Question) -> tuple[list[Known], Sextant]:
    known = [
        Known(
            case.id,
            Scope(personas=case.personas),
            question_of(case, like),
            case.is_answerable,
            _quotes(case),
        )
        for case in training()
    ]
    return known, await open_sextant(settings(await taken_in(stores / SAMPLE)))


def _quotes(case: Case) -> list[Quote]:
    return [
        Quote(document, text)
        for document, told in case.quotes.items()
        for text in ([told] if isinstance(told, str) else told)
    ]


async def _lessons(sextant: Sextant, known: Known, shelf: _Shelf) -> list[Lesson]:
    lessons = []
    for part in await looked_at(sextant, known.scope, known.question):
        places = [(shelf.place(unit), unit) for unit in part.pieces]
        read = [(place, unit) for place, unit in places if place]
        answers = [any(quote.is_in(unit) for quote in known.quotes) for _, unit in read]
        ids = shelf.tokenizer.ids(part.text, TOKENS)
        own = [place for place, _ in read]
        lessons.append(Lesson(known.id, known.is_answerable, ids, own, answers))
    return [one for one in lessons if one.looked_at]


class _Shelf:
    """The passages that pieces were looked at in, each once, as the encoder reads them."""

    def __init__(self, tokenizer: WordPiece) -> None:
        self.tokenizer = tokenizer
        self.passages: list[Tokenised] = []
        self._places: dict[str, dict[tuple[int, int], tuple[int, int]]] = {}

    def place(self, unit: Unit) -> tuple[int, int] | None:
        """Return where a piece stands; None if it is behind all that the encoder reads."""
        name = unit.passage.chunk.id
        if name not in self._places:
            self._places[name] = self._added(unit.passage)
        return self._places[name].get((unit.start, unit.end))

    def _added(self, passage: Passage) -> dict[tuple[int, int], tuple[int, int]]:
        text = embeddable(passage.document, passage.chunk)
        ids, pieces = self.tokenizer.ids_and_places(text.text, text.places, TOKENS)
        number = len(self.passages)
        self.passages.append(Tokenised(ids, pieces))
        return {
            span: (number, at)
            for at, (span, (start, end)) in enumerate(zip(text.spans, pieces, strict=True))
            if start < end
        }
