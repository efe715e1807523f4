"""How likely each passage is to hold what is asked, and which span of it answers best.

Pure. One fitted sum of a few signs; knows neither how passages were found nor what is told of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from datetime import date
from math import exp, log
from operator import mul

from sextant.ask.dates import Period, periods_in
from sextant.ask.fitted import fitted
from sextant.ask.piece_odds import PieceOdds
from sextant.ask.row_days import is_about
from sextant.retrieval.scoring.worth import standing_of, worths
from sextant.text.bm25 import rarity
from sextant.text.content_words import asked_terms
from sextant.text.layouts.code_blocks import code_blocks, format_of
from sextant.text.orders import is_within, orders_in
from sextant.text.prose.units import Unit, units_of
from sextant.text.words import Words
from sextant.types import Hit, Passage

Span = tuple[int, int]

_SURE_ODDS = 10.0
"""Odds that nobody doubts; signs of odds are shares of them."""

_ORDINARY, _TRUSTED = 0.5, 8
"""Above the ordinary reputation a source counts by this power of it. Of false values in a source
of reputation 0.6 beside a true one in 0.8 bench/poison.py sees 30 per cent first, 42 without it; of
0.3, 12 instead of 35. Three of 295 questions about the sample are lost by it."""

_WORDED = 4.0
"""What all words of a question in a span, or above it, count beside its odds. Log loss of the right
passage, of sets left out: 0.764 with 2, 0.758 with 4; 0.767 with odds alone and words apart."""

_DATED = 6.0
"""What a row counts for that is about the day which is asked about: more than a name in it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage, how likely the answer is in it, and how much it has of what is asked.

    The likelihood is among the passages that were found: all together have one. ``point`` is the
    span that answers best, ``odds`` are the log odds of the likeliest piece, None if unknown.
    """

    hit: Hit
    likelihood: float
    covered: float = 0.0
    point: Span | None = None
    odds: float | None = None
    worth: float = 1.0


@dataclass(frozen=True, slots=True)
class PassageSigns:
    """What tells that a passage holds the answer: measures of about 0 to 1 each.

    Its rank beside the best, how well its spans answer, the share of the rare words of the question
    in it or above it, those in the title of its page, and whether it has code.
    """

    standing: float
    meant: float
    covered: float
    titled: float
    code: float

    def row(self) -> tuple[float, ...]:
        """Return the measures in their order."""
        return astuple(self)


NAMES = tuple(item.name for item in fields(PassageSigns))


@dataclass(slots=True)
class Reading:
    """A passage as it is compared: its stems, those above it, and what its spans have."""

    passage: Passage
    terms: frozenset[str]
    above: frozenset[str]
    title: frozenset[str]
    has_code: bool
    by_span: dict[Span, frozenset[str]] = field(default_factory=dict)
    units: dict[Span, Unit] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The chunk that it is."""
        return self.passage.chunk.id

    @property
    def every(self) -> frozenset[str]:
        """The stems of the passage and those above it."""
        return self.terms | self.above


class Readings:
    """Reads each passage once, however many parts of a question ask of it."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._known: dict[tuple[str, str], Reading] = {}

    def read(self, passage: Passage) -> Reading:
        """Return a passage as it is compared."""
        key = passage.chunk.id, passage.version
        if key not in self._known:
            chunk = passage.chunk
            title = frozenset(self.words.terms(passage.document.title))
            self._known[key] = Reading(
                passage,
                frozenset(self.words.terms(chunk.text)),
                title.union(self.words.terms(" ".join(chunk.headings))),
                title,
                bool(code_blocks(chunk.text, format_of(passage))),
            )
        return self._known[key]

    def units(self, passage: Passage) -> Mapping[Span, Unit]:
        """Return the pieces of a passage; an order to an assistant is none."""
        own = self.read(passage)
        if not own.units:
            orders = orders_in(passage.chunk.text)
            own.units = {
                (unit.start, unit.end): unit
                for unit in units_of(passage)
                if not is_within(orders, unit.start, unit.end)
            }
        return own.units

    def terms_of(self, passage: Passage, span: Span) -> frozenset[str]:
        """Return the stems of a span, with those of what it is read under if that was read."""
        own = self.read(passage)
        if span not in own.by_span:
            unit = own.units.get(span)
            text = read_text(unit) if unit else passage.chunk.text[slice(*span)]
            own.by_span[span] = frozenset(self.words.terms(text))
        return own.by_span[span]


def read_text(unit: Unit) -> str:
    """Return a piece as it reads under what stands above it."""
    return f"{unit.under} {unit.text}"


def score_passages(
    text: str, hits: Sequence[Hit], odds: PieceOdds, readings: Readings, today: date
) -> tuple[Scored, ...]:
    """Return the hits with how likely each holds what a text asks, the likeliest first.

    A source counts by the square of its worth, and by its reputation where that is more than the
    ordinary one: so the better of two sources that both seem to answer leads (bench/poison.py).
    """
    measured = measure_passages(text, hits, odds, readings, today)
    weights = tuple(fitted().passage[name] for name in NAMES)
    scores = [sum(map(mul, weights, one.signs.row())) for one in measured]
    best = max(scores, default=0.0)
    shares = [exp(own - best) * one.belief for own, one in zip(scores, measured, strict=True)]
    total = sum(shares) or 1.0
    likely = [round(share / total, 6) for share in shares]
    order = sorted(range(len(hits)), key=lambda at: (-likely[at], at))
    return tuple(
        Scored(one.hit, likely[at], round(one.signs.covered, 6), one.point, one.odds, one.worth)
        for at in order
        for one in (measured[at],)
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """A hit with its signs, the span that answers best, its highest odds, worth and belief."""

    hit: Hit
    signs: PassageSigns
    point: Span | None
    odds: float | None
    worth: float
    belief: float


def measure_passages(
    text: str, hits: Sequence[Hit], odds: PieceOdds, readings: Readings, today: date
) -> list[Measured]:
    """Measure each hit for what is asked, beside the others."""
    read = [readings.read(hit.passage) for hit in hits]
    weights = weigh_words(asked_terms(readings.words, text), [one.every for one in read])
    pieces = _by_chunk(odds)
    asked = periods_in(text, today)
    spans = [_weigh_spans(own, pieces.get(own.id, {}), weights, asked, readings) for own in read]
    usual = _usual(
        [value for own, value in zip(read, map(_log_sum, spans), strict=True) if own.id in pieces]
    )
    best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
    worth = worths((hit.passage.document for hit in hits), text)
    found = []
    for hit, own, values in zip(hits, read, spans, strict=True):
        is_known = own.id in pieces or not pieces
        signs = PassageSigns(
            standing=max(0.0, hit.scores.total / best),
            meant=(_log_sum(values) if is_known else usual) / _SURE_ODDS,
            covered=share_of(weights, own.every),
            titled=share_of(weights, own.title),
            code=float(own.has_code),
        )
        point = max(values, key=lambda span: (values[span], -span[0]), default=None)
        odds_of = pieces.get(own.id, {}).values()
        found.append(Measured(hit, signs, point, max(odds_of, default=None), *_trust(hit, worth)))
    return found


def _trust(hit: Hit, worth: Mapping[str, float]) -> tuple[float, float]:
    """Return how far a source stands beside others, and what its word counts for in a choice."""
    document = hit.passage.document
    own = worth[document.id]
    return standing_of(document, own), own**2 * max(_ORDINARY, document.reputation) ** _TRUSTED


def weigh_words(terms: Sequence[str], held: Sequence[Collection[str]]) -> dict[str, float]:
    """Return what each word weighs that is asked, the more the fewer of the passages have it."""
    counts = Counter(term for own in held for term in terms if term in own)
    weights = {term: rarity(counts[term], len(held)) for term in terms}
    whole = sum(weights.values()) or 1.0
    return {term: weight / whole for term, weight in weights.items()}


def share_of(weights: Mapping[str, float], terms: Collection[str]) -> float:
    """Return the share of what is asked that these words have."""
    return sum(own for term, own in weights.items() if term in terms)


def _by_chunk(odds: PieceOdds) -> dict[str, dict[Span, float]]:
    found: dict[str, dict[Span, float]] = {}
    for (name, start, end), own in odds.items():
        found.setdefault(name, {})[start, end] = own
    return found


def _weigh_spans(
    own: Reading,
    odds: Mapping[Span, float],
    weights: Mapping[str, float],
    asked: Sequence[Period],
    readings: Readings,
) -> dict[Span, float]:
    """Return how well each span answers: by its odds, the words it is read with, and its day."""
    units = readings.units(own.passage) if asked or not odds else {}
    found = {}
    for span in odds or units:
        value = odds.get(span, 0.0)
        value += _WORDED * share_of(weights, readings.terms_of(own.passage, span) | own.above)
        if span in units and is_about(read_text(units[span]), asked):
            value += _DATED
        found[span] = round(value, 6)
    return found


def _log_sum(values: Mapping[Span, float]) -> float:
    """Return the log odds that some span answers, as if each could on its own."""
    best = max(values.values(), default=-_SURE_ODDS)
    return best + log(sum(exp(one - best) for one in values.values()) or 1.0)


def _usual(values: list[float]) -> float:
    """Return what is usual, for passages of which nothing is known."""
    return sorted(values)[len(values) // 2] if values else 0.0
