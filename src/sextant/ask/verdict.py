"""Whether what is shown answers the question: a confidence by a fitted sum of a few numbers.

Judges only what a reader sees. Knows neither how passages were found nor how they are told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, log

from sextant.ask.blocks import Block
from sextant.ask.fitted import fitted
from sextant.ask.score import Readings, Scored, weigh_words
from sextant.text.content_words import asked_terms

_ENOUGH = 0.5
"""From here on what is shown is more likely the answer than not."""

_NEAR = 0.1
"""What is less sure does not come near. Of 273 answers that are shown 271 are surer, and so are 43
of 64 to what nothing answers (bench/documentation)."""

_SPOKEN_OF = 0.1
"""By words alone, what is asked is spoken of by a block that has this share of it, as 98 of 100
have that hold an answer (bench/documentation)."""

_EXTREME = 30.0
_SURE_ODDS = 10.0
_BIAS = "bias"
_USUAL_WORDS = 6.0


@dataclass(frozen=True, slots=True)
class ShownSigns:
    """What tells that the blocks that are shown answer a question.

    How likely they are, all together; the odds of the likeliest piece in them; the weight of the
    heaviest word of the question that they lack; whether no passage has a name that is asked about;
    how long the question is, and whether it has parts. Of parts it is the one answered worst.
    """

    told: float = 0.0
    meant: float = 0.0
    lacking: float = 0.0
    unknown: float = 0.0
    length: float = 0.0
    parts: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """How sure it is that what is shown answers the question, and by which signs."""

    confidence: float
    signs: ShownSigns

    @property
    def is_sufficient(self) -> bool:
        """Whether what is shown is told as known."""
        return self.confidence >= _ENOUGH

    @property
    def is_near(self) -> bool:
        """Whether what is shown is worth telling as what comes nearest."""
        return self.confidence >= _NEAR


def judge(
    parts: Sequence[str],
    scored: Sequence[Sequence[Scored]],
    blocks: Sequence[Block],
    readings: Readings,
) -> Judgement:
    """Judge what is shown for a question, the text of which is the first of the parts."""
    is_read = any(one.odds is not None for one in scored[0])
    is_spoken_of = is_read or any(block.covered >= _SPOKEN_OF for block in blocks)
    if not blocks or not is_spoken_of:
        return Judgement(0.0, ShownSigns())
    signs = measure_shown(parts, scored, blocks, readings)
    return Judgement(round(confidence_of(signs, is_read=is_read), 4), signs)


def confidence_of(signs: ShownSigns, *, is_read: bool) -> float:
    """Return how likely it is that what has these signs answers the question.

    Where no odds are known, likelihoods are of words alone and say something else.
    """
    weights = fitted().read if is_read else fitted().unread
    values = asdict(signs) | {_BIAS: 1.0}
    total = sum(own * values[name] for name, own in weights.items())
    return 1.0 / (1.0 + exp(-max(-_EXTREME, min(_EXTREME, total))))


def measure_shown(
    parts: Sequence[str],
    scored: Sequence[Sequence[Scored]],
    blocks: Sequence[Block],
    readings: Readings,
) -> ShownSigns:
    """Measure what is shown for a question."""
    shown = frozenset(block.quote.passage.chunk.id for block in blocks)
    seen = frozenset[str]().union(*(readings.read(block.quote.passage).every for block in blocks))
    asked = list(zip(parts, scored, strict=True))
    of_parts = asked[1:] or asked
    told = [[one for one in own if one.hit.passage.chunk.id in shown] for _, own in of_parts]
    length = len(asked_terms(readings.words, parts[0]))
    return ShownSigns(
        told=min(sum(one.likelihood for one in own) for own in told),
        meant=min(max(-1.0, min(1.0, _highest(own) / _SURE_ODDS)) for own in told),
        lacking=max(_heaviest_lack(text, own, seen, readings) for text, own in of_parts),
        unknown=float(bool(unknown_names(parts[0], scored[0], readings))),
        length=log(max(1, length) / _USUAL_WORDS),
        parts=float(len(parts) > 1),
    )


def _highest(told: Sequence[Scored]) -> float:
    return max((one.odds for one in told if one.odds is not None), default=0.0)


def _heaviest_lack(
    text: str, scored: Sequence[Scored], seen: frozenset[str], readings: Readings
) -> float:
    """Return what the heaviest word of a text weighs that nothing shown has."""
    every = [readings.read(one.hit.passage).every for one in scored]
    weights = weigh_words(asked_terms(readings.words, text), every)
    return max((own for term, own in weights.items() if term not in seen), default=0.0)


_NAME = re.compile(
    r"(?<![\w.])--?[a-z][\w-]+|\w+(?:[._:/@-]\w+)+|\w*[a-z0-9][A-Z]\w*|(?<=[\w,;:] )[A-Z][\w]+"
)
"""What is spelt like a name: an option, words joined by signs, a capital behind the first letter or
within a sentence."""


def unknown_names(text: str, scored: Sequence[Scored], readings: Readings) -> tuple[str, ...]:
    """Return what a text spells like a name and no passage has, whole or in words."""
    held = [readings.read(one.hit.passage).every for one in scored]
    names = dict.fromkeys(one.group() for one in _NAME.finditer(text))
    return tuple(name for name in names if not _is_known(name, held, readings))


def _is_known(name: str, held: Sequence[frozenset[str]], readings: Readings) -> bool:
    terms = asked_terms(readings.words, name)
    return not terms or any(own.issuperset(terms) for own in held)
