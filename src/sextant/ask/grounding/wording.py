"""The words of a sentence as they are compared: what it says, what it denies, and in which order.

Knows English; whether two sentences say the same is for others to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sextant.ask.grounding.values import SPELT, values_of
from sextant.ask.reading.tokens import STOP_WORDS, word_set
from sextant.text.names import normal_name
from sextant.text.negation import NEGATIONS
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

_OPPOSITES = (
    "before after|above below|more less fewer|most least|minimum maximum|min max|first last|"
    "enable enabled enables disable disabled disables|open opens close closes closed|"
    "start starts started stop stops stopped|allowed allow allows forbidden forbid forbids "
    "prohibited|always never|must may|required optional|increase increases decrease decreases|"
    "add adds remove removes|accept accepts accepted reject rejects rejected refused|"
    "succeeds succeed success fails fail failure|include includes exclude excludes|"
    "internal external|primary secondary standby|north south|east west|earlier later|"
    "higher lower|highest lowest|up down|with without|public private|daily weekly monthly yearly|"
    "automatic automatically manual manually|send sends receive receives"
)
_RIVALS = {
    word: frozenset(row.split()) - _same
    for row in _OPPOSITES.split("|")
    for word in row.split()
    for _same in [frozenset(one for one in row.split() if one[:4] == word[:4])]
}
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|get|gets)\b[^.,;]{0,60}\bby\b")
_FRONTED = re.compile(
    r"\s*((?:if|when|whenever|after|before|once|while|since|because|unless|until|although|as)\b"
    r"[^,]+),\s*(.+?)([.!?]*)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,;:.!?()\n]")  # noqa: RUF001 - as it is printed
_ENDS = frozenset(",;:.!?()\n") | {"but", "although", "though", "because", "if", "when", "unless"}
_DENYING = NEGATIONS | {"hardly", "rarely"}


@dataclass(frozen=True, slots=True)
class Wording:
    """A text, its stems, those that it denies, its small words, and its names in their order."""

    text: str
    stems: frozenset[str]
    denied: frozenset[str]
    small: frozenset[str]
    names: tuple[str, ...]
    passive: bool


def wording_of(text: str, words: Words) -> Wording:
    """Return a text as it is compared."""
    folded = _folded(text)
    return Wording(
        text,
        stems_of(text, words),
        frozenset(_denied(folded, words)),
        frozenset(words_in(folded)),
        tuple(dict.fromkeys(values_of(_main_first(text)).names)),
        bool(_PASSIVE.search(folded)),
    )


def stems_of(text: str, words: Words) -> frozenset[str]:
    """Return the stems of the words that say something."""
    kept = [SPELT.get(word, word) for word in words_in(_folded(text)) if word not in _SILENT]
    return frozenset(words.terms(" ".join(kept)))


_SILENT = STOP_WORDS | NEGATIONS | _REPORTING


def _folded(text: str) -> str:
    """Return a text in small letters, without short forms of what it denies."""
    folded = fold(text).replace("’", "'")  # noqa: RUF001 - an apostrophe as it is printed
    return folded.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not")


def contradicts(one: Wording, other: Wording) -> bool:
    """Whether two texts that speak of the same differ in what they deny or oppose."""
    shared = one.stems & other.stems
    if shared & (one.denied ^ other.denied):
        return True
    return any(
        word not in other.small and not rivals.isdisjoint(other.small - one.small)
        for word, rivals in _RIVALS.items()
        if word in one.small
    )


def is_turned(one: Wording, other: Wording) -> bool:
    """Whether two names stand in opposite order, though both texts say it the same way round."""
    mine = [name for name in one.names if name in other.names]
    if len(mine) != 2 or one.passive != other.passive:
        return False
    return other.names.index(mine[0]) > other.names.index(mine[1])


def is_renamed(one: Wording, other: Wording) -> bool:
    """Whether a text has a name that the other has not, in place of the other's first name."""
    mine, theirs = (f" {normal_name(text)} " for text in (one.text, other.text))
    new = any(f" {name} " not in theirs for name in one.names)
    return new and bool(other.names) and f" {other.names[0]} " not in mine


def _main_first(text: str) -> str:
    """Return a sentence with what was put before its main clause behind it."""
    return _FRONTED.sub(r"\2 \1\3", text)


def _denied(folded: str, words: Words) -> Iterator[str]:
    """Yield the stems of the words that a negation before them reaches."""
    left = 0
    for word in _WORD.findall(folded):
        if word in _ENDS or (word == "only" and left == _REACH):
            left = 0
        elif word in _DENYING:
            left = _REACH
        elif left and word not in _SILENT:
            yield from words.terms(word)
            left -= 1
