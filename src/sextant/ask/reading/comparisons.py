"""Two things that a question sets side by side, and in what. Knows English joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.reading.courtesies import after_courtesies
from sextant.ask.reading.names import names_in
from sextant.ask.reading.tokens import (
    ASKING,
    AUXILIARY,
    DETERMINERS,
    PERSONAL,
    Token,
    content_words,
    tokens_of,
    word_set,
)

_COMPARING = word_set(
    "differ differs differed difference differences different compare compares compared "
    "comparison related contrast versus vs distinguish distinguishes similar similarity "
    "similarities common share shared same both either older younger newer bigger larger "
    "smaller longer shorter faster slower higher lower earlier later better worse sooner "
    "greater fewer closer taller heavier cheaper stricter more less oldest newest largest "
    "biggest longest shortest highest lowest earliest latest fastest slowest tallest first last "
    "one two"
)
_SAME = frozenset({"same", "both", "share", "common", "alike", "either", "identical", "similar"})
_JOINTS = frozenset({"or", "and", "than", "as"})
_LINKS = frozenset({"of", "for", "in", "at", "on"})
_STOPS = frozenset({",", ":", ";", "?", "!", ".", "-", "–", "—"})  # noqa: RUF001 - printed dashes
_ENDS = frozenset("?!;")
_VERBS = AUXILIARY | ASKING
_LONGEST = 14
"""Words of what is compared, at most."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two things side by side, and a question about each of them alone."""

    first: str
    second: str
    of_first: str
    of_second: str


Sides = tuple[tuple[int, int], tuple[int, int]]


def comparison_in(text: str) -> Comparison | None:
    """Return what a question compares, if it does."""
    tokens = after_courtesies(tokens_of(text))
    lows = [token.low for token in tokens]
    for find in (_between, _versus, _differ, _compare, _than, _either, _alike):
        sides = find(text, tokens, lows)
        if sides and _sound(sides):
            return _comparison(text, tokens, sides, find in (_than, _either, _alike))
    return None


def _sound(sides: Sides) -> bool:
    return all(0 < last - first <= _LONGEST for first, last in sides)


def _comparison(text: str, tokens: Sequence[Token], sides: Sides, cuts: bool) -> Comparison | None:
    (a, b), (c, d) = sides
    links = (at for at in range(b - 2, a, -1) if _is_link(tokens, at))
    own_link = any(token.text in _LINKS for token in tokens[c:d])
    shared = None if own_link or cuts else next(links, None)
    a = a if shared is None else shared + 1
    first, second = _said(text, tokens, a, b), _said(text, tokens, c, d)
    if not first or not second or first.lower() == second.lower() or first.lower() in PERSONAL:
        return None
    if cuts:
        opening = text[tokens[0].start : tokens[a].start]
        rest = _without_joint(text, tokens, b, c) + text[tokens[d - 1].end :]
        return Comparison(first, second, f"{opening}{first}{rest}", f"{opening}{second}{rest}")
    aspect = _aspect([*tokens[:a], *tokens[b:c], *tokens[d:]], [*tokens[a:b], *tokens[c:d]])
    return Comparison(first, second, _about(first, aspect), _about(second, aspect))


def _without_joint(text: str, tokens: Sequence[Token], first: int, last: int) -> str:
    """Return what stands between two things up to the word that joins them: `` faster``."""
    joints = (at for at in range(first, last) if tokens[at].low in _JOINTS)
    joint = next(joints, first)
    return text[tokens[first - 1].end : tokens[joint].start].rstrip()


def _aspect(rest: Sequence[Token], compared: Sequence[Token]) -> str:
    """Return the words that say in what two things are compared."""
    own = frozenset(content_words(compared))
    return " ".join(word for word in content_words(rest) if word not in _COMPARING | own)


def _about(thing: str, aspect: str) -> str:
    return f"{thing}: {aspect}" if aspect else f"What is {thing}?"


def _is_link(tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands before ``of`` is said of both: ``times of tier 1 and tier 2``."""
    return tokens[at].text in _LINKS and tokens[at - 1].text[:1].islower()


def _said(text: str, tokens: Sequence[Token], first: int, last: int) -> str:
    while first < last and tokens[first].low in DETERMINERS | {"is", "either"}:
        if tokens[first].text[:1].isupper() and tokens[first].low in ("the", "a", "an"):
            break
        first += 1
    return text[tokens[first].start : tokens[last - 1].end] if first < last else ""


def _until_stop(
    tokens: Sequence[Token],
    at: int,
    extra: frozenset[str] = frozenset(),
    stops: frozenset[str] = _STOPS,
) -> int:
    while at < len(tokens) and tokens[at].text not in stops and tokens[at].low not in extra:
        at += 1
    return at


def _index(lows: Sequence[str], word: str, after: int = 0) -> int | None:
    try:
        return lows.index(word, after)
    except ValueError:
        return None


def _between(_: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    """Read ``the difference between X and Y``."""
    if not {"difference", "differences", "distinction", "comparison"} & set(lows):
        return None
    at = _index(lows, "between")
    joint = _index(lows, "and", at + 1) if at is not None else None
    if at is None or joint is None:
        return None
    return (at + 1, joint), (joint + 1, _until_stop(tokens, joint + 1, frozenset({"in", "when"})))


def _versus(_: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    joint = next((at for at, low in enumerate(lows) if low in ("vs", "versus")), None)
    if joint is None:
        return None
    first = joint
    while (
        first and tokens[first - 1].text not in _STOPS and lows[first - 1] not in AUXILIARY | ASKING
    ):
        first -= 1
    second = joint + 2 if joint + 1 < len(lows) and lows[joint + 1] == "." else joint + 1
    return (first, joint), (second, _until_stop(tokens, second, frozenset({"in", "for"})))


def _differ(_: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    """Read ``how do X and Y differ`` and ``how does X differ from Y``."""
    words = ("differ", "differs", "different", "compare", "differed", "similar", "related")
    verb = next((at for at, low in enumerate(lows) if low in words), None)
    if not verb:
        return None
    start = next((at + 1 for at in range(verb - 2, -1, -1) if lows[at] in AUXILIARY), None)
    if start is None:
        return None
    if verb + 1 < len(lows) and lows[verb + 1] in ("from", "to", "with", "than"):
        return (start, verb), (verb + 2, _until_stop(tokens, verb + 2, frozenset({"in", "when"})))
    joint = _index(lows, "and", start)
    return ((start, joint), (joint + 1, verb)) if joint is not None and joint < verb else None


def _compare(_: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    if not lows or lows[0] not in ("compare", "contrast", "distinguish"):
        return None
    joints = ("and", "with", "to", "against", "from")
    joint = next((at for at, low in enumerate(lows) if low in joints and at > 1), None)
    if joint is None:
        return None
    end = _until_stop(tokens, joint + 1, frozenset({"in", "when", "regarding"}))
    return (1, joint), (joint + 1, end)


def _than(text: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    """Read ``is X older than Y`` and ``is X the same as Y``; both must be names."""
    same = (at for at in range(1, len(lows)) if lows[at] == "as" and lows[at - 1] == "same")
    joint = _index(lows, "than") or next(same, None)
    if joint is None or not lows or lows[0] not in AUXILIARY:
        return None
    return _names_around(text, tokens, joint)


def _either(text: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    """Read ``which is older, X or Y``."""
    joints = [at for at, token in enumerate(tokens) if token.text == "or"]
    asks = any(low in ("which", "who", "what", "whose", "where") for low in lows[:4])
    if not joints or "whether" in lows or not (asks or _COMPARING & set(lows)):
        return None
    joint = joints[-1]
    first = _after_last(tokens, joint, ",") or _after_last(tokens, joint, ":")
    last = _until_stop(tokens, joint + 1, stops=_ENDS)
    if first and asks and tokens[first].low not in AUXILIARY:
        sides = (first, joint), (joint + 1, last)
        if _sound(sides) and (_COMPARING & set(lows) or _are_names(text, tokens, sides)):
            return sides
    return _names_around(text, tokens, joint)


def _after_last(tokens: Sequence[Token], before: int, sign: str) -> int:
    places = (at + 1 for at in range(before - 1, 0, -1) if tokens[at].text == sign)
    return next(places, 0)


def _are_names(text: str, tokens: Sequence[Token], sides: Sides) -> bool:
    spans = [text[tokens[first].start : tokens[last - 1].end] for first, last in sides]
    return all(names_in(f"the {span}") for span in spans)


def _alike(text: str, tokens: Sequence[Token], lows: Sequence[str]) -> Sides | None:
    """Read ``are X and Y from the same country``."""
    if not lows or not (lows[0] in AUXILIARY or lows[0] in ASKING) or not _SAME & set(lows):
        return None
    for joint, token in enumerate(tokens):
        sides = _names_around(text, tokens, joint) if token.text == "and" else None
        if sides and sides[0][1] == joint and sides[1][0] <= joint + 2:
            return sides
    return None


def _names_around(text: str, tokens: Sequence[Token], joint: int) -> Sides | None:
    """Return the tokens of the nearest names before and after a joint."""
    names = names_in(text)
    before = [name for name in names if name.end <= tokens[joint].start]
    after = [name for name in names if name.start >= tokens[joint].end]
    if not before or not after:
        return None
    return (
        _tokens_within(tokens, before[-1].start, before[-1].end),
        _tokens_within(tokens, after[0].start, after[0].end),
    )


def _tokens_within(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    inside = [at for at, token in enumerate(tokens) if start <= token.start < end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
