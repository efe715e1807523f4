"""The words of a clause as they are compared: what it speaks of, what it says, and in which order.

Knows English; whether two clauses say the same is for others to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sextant.ask.grounding.marks import denials_in, direction_of, marks_in, with_bounds
from sextant.ask.grounding.subjects import head_of, main_first, verb_of
from sextant.ask.grounding.values import SPELT, parts_of
from sextant.text.prose.negation import NEGATIONS
from sextant.text.tokens import STOP_WORDS, word_set
from sextant.text.words import Words, fold, words_in

_REACH = 2
"""So many words behind a negation are denied by it."""

_REPORTING = word_set(
    "according accordingly additionally based describe described describes document documentation "
    "documents following follows furthermore however included includes indicate indicated "
    "indicates listed mention mentioned mentions moreover note noted notes overall page provided "
    "source sources specified specifies specifically state stated states therefore thus"
)
"""What prose says of its sources, and no source says of itself."""

_AGENT = (
    r"\bby (?:the |an? )?(?P<agent>[A-Z][\w-]*(?: [A-Z0-9][\w-]*)*|(?!\w+ing\b)[a-z]+(?: [a-z]+)?)"
    r"(?P<rest>.*)"
)
_PASSIVES = (
    re.compile(r"(?P<pre>.*?)\b(?:is|are|was|were|be|been|being)\b(?P<verb>[^.;]{1,60}?)" + _AGENT),
    re.compile(r"(?P<pre>.*?)\b(?P<verb>[a-z]+(?:ed|en|wn)) " + _AGENT),
)
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['’][^\W_]+)?")  # noqa: RUF001 - as printed
_SIGN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,;:.!?()\n]")  # noqa: RUF001 - as it is printed
_ENDS = frozenset(",;:.!?()\n") | {"but", "although", "though", "because", "if", "when", "unless"}
_DENYING = NEGATIONS | {"hardly", "rarely"}
_SILENT = STOP_WORDS | NEGATIONS | _REPORTING


@dataclass(frozen=True, slots=True)
class Wording:
    """A clause: its stems, those in their order, and in the order of who does it; what it denies.

    Of each of ``needs`` whoever says the same must have a word: that is whom it speaks of.
    """

    text: str
    stems: frozenset[str]
    order: tuple[str, ...]
    doing: tuple[str, ...]
    agent: frozenset[str]
    needs: tuple[frozenset[str], ...]
    verb: frozenset[str]
    denied: frozenset[str]
    denials: int
    marks: frozenset[str]
    small: frozenset[str]
    led: Mapping[str, str] = field(default_factory=dict)


def wording_of(text: str, words: Words, subject: str | None = None) -> Wording:
    """Return a clause as it is compared; it speaks of its own subject, or of the one given."""
    main, folded = main_first(text), folded_text(text)
    passive = next(filter(None, (one.match(main) for one in _PASSIVES)), None)
    order = tuple(order_of(main, words))
    return Wording(
        text,
        stems_of(text, words),
        order,
        _turned(passive, words) if passive else order,
        frozenset(order_of(passive["agent"], words)) if passive else frozenset(),
        tuple(needs_of(head_of(main) if subject is None else subject, words)),
        stems_of(verb_of(text), words),
        frozenset(_denied(folded, words)),
        denials_in(folded),
        marks_in(text),
        frozenset(words_in(with_bounds(folded))),
        dict(_led(text, words)),
    )


def stems_of(text: str, words: Words) -> frozenset[str]:
    """Return the stems of the words that say something."""
    kept = [SPELT.get(word, word) for word in words_in(folded_text(text)) if word not in _SILENT]
    return frozenset(words.terms(" ".join(kept)))


def order_of(text: str, words: Words) -> Iterator[str]:
    """Yield the stems and numbers of a text as they come; the letter of a name is one of them."""
    before = ""
    for token in _TOKEN.findall(text):
        yield from _stems_in(token, before, words)
        before = token


def _stems_in(token: str, before: str, words: Words) -> Iterator[str]:
    low = folded_text(token).removesuffix("'s")
    if low[0].isdigit():
        yield from parts_of(low)
    elif len(token) == 1 and token.isupper() and before[:1].isupper():
        yield low
    elif low not in _SILENT:
        yield from words.terms(SPELT.get(low, low))


def needs_of(subject: str, words: Words) -> Iterator[frozenset[str]]:
    """Yield every word of a name, or all the words of what is no name as one."""
    stems = tuple(dict.fromkeys(order_of(subject, words)))
    if len(stems) > 1 and all(word[:1].isupper() or word[:1].isdigit() for word in subject.split()):
        yield from (frozenset({stem}) for stem in stems)
    elif stems:
        yield frozenset(stems)


def folded_text(text: str) -> str:
    """Return a text in small letters, without short forms of what it denies."""
    folded = fold(text).replace("’", "'")  # noqa: RUF001 - an apostrophe as it is printed
    return folded.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not")


def _turned(passive: re.Match[str], words: Words) -> tuple[str, ...]:
    """Return what is done by somebody as what somebody does."""
    agent, verb, pre, rest = (
        list(order_of(passive[part], words)) for part in ("agent", "verb", "pre", "rest")
    )
    return (*agent, *verb[:1], *pre, *verb[1:], *rest)


def _led(text: str, words: Words) -> Iterator[tuple[str, str]]:
    """Yield stems with the word of direction right before them."""
    direction, before = "", ""
    for token in _TOKEN.findall(text):
        stems = list(_stems_in(token, before, words))
        yield from ((stem, direction) for stem in stems if direction)
        direction = "" if stems else direction_of(fold(token), direction)
        before = token


def _denied(folded: str, words: Words) -> Iterator[str]:
    """Yield the stems of the words that a negation before them reaches."""
    left = 0
    for word in _SIGN.findall(folded):
        if word in _ENDS or (word == "only" and left == _REACH):
            left = 0
        elif word in _DENYING:
            left = _REACH
        elif left and word not in _SILENT:
            yield from words.terms(word)
            left -= 1
