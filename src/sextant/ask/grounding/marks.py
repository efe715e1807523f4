"""Small words that turn a sentence: bounds, hedges, conditions, directions, opposites, denials.

Knows English, as lists; the words they belong to are looked at elsewhere.
"""

from __future__ import annotations

import re

from sextant.text.prose.negation import NEGATIONS
from sextant.text.tokens import DETERMINERS
from sextant.text.words import fold, words_in

_BOUNDS = {
    phrase: bound
    for bound, phrases in {
        "over": "more than|over|above|exceeding|beyond|longer than",
        "least": "at least|minimum|minimum of|no less than|not less than",
        "most": "at most|up to|within|maximum|maximum of|no more than|not more than|no later than",
        "under": "under|below|less than|fewer than|shorter than",
        "after": "after",
        "before": "before",
        "until": "until|till",
        "about": "about|around|approximately|nearly|almost|roughly",
    }.items()
    for phrase in phrases.split("|")
}
_PHRASES = "|".join(sorted(_BOUNDS, key=len, reverse=True))
_BOUND = re.compile(rf"\b({_PHRASES})(?: the| an?| of)?[\s$€(]*\Z")
_SPOKEN = re.compile(r"\b(?:at least|at most|up to|more than|less than|fewer than)\b")
_BEHIND = re.compile(
    r"\W*(?:[a-z%€]+ )?(?:(or (?:more|longer|above|higher))|(or (?:less|fewer)))\b"
)

_MARKS = {
    word: group
    for group, own in {
        "only": "only solely exclusively just",
        "possibly": "may might can could perhaps maybe possibly probably likely presumably",
        "must": "must should",
        "will": "will shall",
        "if": "if when whenever",
        "unless": "unless",
        "until": "until",
        "former": "formerly previously former stopped ceased quit",
        "said": "allegedly rumour rumor myth claim claims claimed believed heard suspected assumed "
        "proposed planned plans wants refuses hopes",
        "some": "some few several many most",
        "all": "all every each always any",
    }.items()
    for word in own.split()
}
WEAKER_WITHOUT = frozenset({"all"})
"""What may be left out: a sentence that does not say it claims less."""

_SHORT = (
    ("used to", "formerly"),
    ("has to", "must"),
    ("have to", "must"),
    ("in case", "if"),
    ("cannot", "can not"),
)
_MONTH = re.compile(r"(?<=\w )May\b|\bMay(?= \d)")
_DIRECTIONS = {
    word: group
    for group, own in {
        "from": "from",
        "to": "to into onto",
        "before": "before until",
        "after": "after since",
        "with": "with",
        "without": "without",
        "over": "over above",
        "under": "under below",
    }.items()
    for word in own.split()
}
_OPPOSITES = (
    "before/after|above/below|over/under|over/up|within/after|over/within|more/less fewer|"
    "most/least|minimum/maximum|min/max|first/last|"
    "enable enabled enables/disable disabled disables|"
    "open opens/close closes closed|start starts started/stop stops stopped|"
    "allowed allow allows/forbidden forbid forbids prohibited|always/never|must/may|"
    "required/optional|increase increases/decrease decreases|add adds/remove removes|"
    "accept accepts accepted/reject rejects rejected refused|"
    "succeeds succeed success/fails fail failure|include includes/exclude excludes|"
    "internal/external|primary/secondary standby|north/south|east/west|earlier/later|"
    "higher/lower|highest/lowest|up/down|with/without|public/private|daily/weekly/monthly/yearly|"
    "automatic automatically/manual manually|send sends/receive receives|all every each/some few|"
    "atleast/atmost upto lessthan fewerthan|morethan/lessthan fewerthan atmost upto"
)
_RIVALS: dict[str, frozenset[str]] = {}
for _row in _OPPOSITES.split("|"):
    _sides = [frozenset(side.split()) for side in _row.split("/")]
    for _side in _sides:
        for _word in _side:
            _others = frozenset[str]().union(*(one for one in _sides if one is not _side))
            _RIVALS[_word] = _RIVALS.get(_word, frozenset()) | _others


def bound_before(folded: str) -> str:
    """Return what the words at the end of a text make of a number behind them."""
    found = _BOUND.search(folded)
    return _BOUNDS[found[1]] if found else ""


def bound_behind(folded: str) -> str:
    """Return what the words at the beginning of a text make of a number before them."""
    found = _BEHIND.match(folded)
    return ("least" if found[1] else "most") if found else ""


def with_bounds(folded: str) -> str:
    """Return a text in which a phrase that bounds something is one word."""
    return _SPOKEN.sub(lambda found: found.group().replace(" ", ""), folded)


def marks_in(text: str) -> frozenset[str]:
    """Return the hedges, conditions and quantities of a text, alike in all their words."""
    folded = with_bounds(fold(_MONTH.sub("", text)))
    for phrase, word in _SHORT:
        folded = folded.replace(phrase, word)
    return frozenset(_MARKS[word] for word in words_in(folded) if word in _MARKS)


def denials_in(folded: str) -> int:
    """Return how often a text denies."""
    return sum(word in NEGATIONS for word in words_in(folded))


def direction_of(word: str, before: str) -> str:
    """Return the direction that a small word gives; an article leaves it as it was."""
    return before if word in DETERMINERS else _DIRECTIONS.get(word, "")


def are_opposed(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether of two sets of words one has the opposite of a word that the other has alone."""
    return any(
        not _RIVALS[word].isdisjoint(theirs - mine) for word in mine - theirs if word in _RIVALS
    )
