"""What a question demands of its sources: their tags, their types, their dates.

A date that tells of an event is no demand: only what is said of documents counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sextant.ask.reading.dates import Period, periods_in
from sextant.ask.reading.tokens import Token, tokens_of, word_set
from sextant.query import AnyOf, Filter, Not, SourceTypes, TagsAll, TagsAny, TimeRange
from sextant.text.names import name_key, near_slugs, slug


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a filter can name: the tags and source types that exist."""

    tags: frozenset[str] = frozenset()
    source_types: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Constraint:
    """A filter, and the words that demand it."""

    filter: Filter
    words: str


_DOCUMENTS = word_set(
    "document documents doc docs page pages note notes article articles source sources write-up "
    "write-ups writeup writeups report reports memo memos"
)
_PIECES = _DOCUMENTS | word_set(
    "file files message messages post posts entry entries record records channel channels thread "
    "threads"
)
"""Documents of a type; alone, a message or a file may be what is asked about."""

_MEDIA = word_set(
    "wiki wikis chat chats runbook runbooks glossary handbook email emails mail mails slack ticket "
    "tickets code faq blog confluence sharepoint jira markdown pdf pdfs csv spreadsheet "
    "spreadsheets policies docs documentation"
)
"""Source types that mean a place to look rather than a thing to know about."""

_ARTICLES = frozenset({"the", "our", "your", "all", "any", "only", "those", "these", "my"})
_INTO = frozenset({"in", "from", "within", "across", "among", "inside", "search", "through", "on"})
_BARRING = frozenset({"except", "excluding", "ignoring", "ignore", "exclude", "skip", "besides"})
_SAYING = frozenset({"say", "says", "state", "states", "mention", "mentions", "tell", "tells"})
_ENDS = frozenset({",", "?", ".", "!", ";", ":", ")"})
_OPENINGS = frozenset({"what", "who", "is", "which", "how", "about", "where", "when", "why"})
_TAGGED = frozenset({"tagged", "labelled", "labeled"})
_BEFORE_TAGS = frozenset({"as", "with", "the", "tag", "tags", "either", "both"})
_WRITTEN = frozenset({"created", "written", "published", "added", "posted", "sent"})
_CHANGED = frozenset({"changed", "modified", "updated", "edited", "touched", "revised"})
_SMALL = word_set("that which were was are have has been last most recently only and or")
_FROM = frozenset({"from", "in", "of", "dated", "during", "on"})
_SINCE, _AFTER = frozenset({"since"}), frozenset({"after"})
_BEFORE, _UNTIL = frozenset({"before"}), frozenset({"until", "till", "by"})
_HASH = re.compile(r"(?<!\w)#([^\W\d_][\w-]{1,60})")
_FURTHEST = 8
"""How many words a date stands from the documents that it is said of, at most."""


def constraints_in(text: str, today: date, known: Vocabulary) -> tuple[Constraint, ...]:
    """Return what a question demands of its sources, as far as the vocabulary knows it."""
    tokens = tokens_of(text)
    return (
        *_tags(text, tokens, known.tags),
        *_types(tokens, known.source_types),
        *_dates(text, tokens, today),
    )


class _Known:
    """Values to be found whatever their spelling or number; of two alike, the first by name."""

    def __init__(self, values: frozenset[str]) -> None:
        self._values: dict[str, str] = {}
        for value in sorted(values, reverse=True):
            self._values[slug(value)] = self._values[name_key(value)] = value

    def get(self, said: str) -> str:
        """Return the value that is said, or an empty text."""
        forms = (slug(said), name_key(said), *sorted(near_slugs(said)))
        return next((self._values[form] for form in forms if form in self._values), "")


def _tags(text: str, tokens: Sequence[Token], known: frozenset[str]) -> Iterator[Constraint]:
    marks = _TAGGED | {"tag", "tags", "label"}
    if "#" not in text and not any(token.low in marks for token in tokens):
        return
    values = _Known(known)
    for at, token in enumerate(tokens):
        after = at + 1
        lows = [later.low for later in tokens[at : at + 3]]
        if lows[:1] == ["with"] and lows[-1] in ("tag", "tags", "label"):
            after = at + len(lows)
        elif token.low not in _TAGGED and not (token.low in ("tag", "tags") and ":" in lows):
            continue
        found, joint = _list_of_tags(tokens, after, values)
        if found:
            some = TagsAny(found) if joint == "or" or len(found) == 1 else TagsAll(found)
            yield Constraint(some, f"{token.low} {f' {joint} '.join(found)}")
    for match in _HASH.finditer(text):
        tag = values.get(match.group(1))
        if tag:
            yield Constraint(TagsAny((tag,)), match.group())


def _list_of_tags(tokens: Sequence[Token], at: int, known: _Known) -> tuple[tuple[str, ...], str]:
    found: list[str] = []
    joint = "and"
    for token in tokens[at : at + 2 * _FURTHEST]:
        if token.low in ("and", "or"):
            joint = token.low
        elif token.low in _BEFORE_TAGS or not token.is_word:
            if token.text in "?.!;":
                break
        else:
            tag = known.get(token.text)
            if not tag:
                break
            found.append(tag)
    return tuple(dict.fromkeys(found)), joint


def _types(tokens: Sequence[Token], known: frozenset[str]) -> Iterator[Constraint]:
    values = _Known(known)
    for at, token in enumerate(tokens):
        if token.is_word and known:
            demand, words = _demand(tokens, at)
            found = values.get(token.text) if demand else ""
            if found:
                types = SourceTypes((found,))
                yield Constraint(types if demand > 0 else Not(types), words)


def _demand(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """Return whether a word would name where to look (1) or not to look (-1), and who says so.

    That is ``in the runbooks``, ``according to the wiki``, ``what does the wiki say``.
    """
    start = at
    while start and tokens[start - 1].low in _ARTICLES:
        start -= 1
    before = tokens[start - 1].low if start else ""
    earlier = tokens[start - 2].low if start > 1 else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    pieces = after is not None and after.low in _PIECES
    words = " ".join(token.low for token in tokens[max(0, start - 2) : at + 1 + pieces])
    if before in _BARRING or (before in _INTO and earlier == "not"):
        return (-1 if pieces or _closes(after) else 0), words
    told = before == "to" and earlier == "according"
    medium = tokens[at].low in _MEDIA and (_closes(after) or before == "search")
    says = start < at and after is not None and after.low in _SAYING
    return int(told or says or (before in _INTO and (pieces or medium))), words


def _closes(after: Token | None) -> bool:
    """Whether nothing narrows what was said: ``in the runbook for Service A`` is one document."""
    return after is None or after.text in _ENDS or after.low in _OPENINGS


def _dates(text: str, tokens: Sequence[Token], today: date) -> Iterator[Constraint]:
    periods = periods_in(text, today)
    if not periods:
        return
    places = {token.start: at for at, token in enumerate(tokens)}
    for number, period in enumerate(periods[:_FURTHEST]):
        at = places.get(period.first)
        said = _said_of_documents(tokens, at) if at is not None else None
        if said is None:
            continue
        joint, by = said
        later = periods[number + 1] if number + 1 < len(periods) else None
        if joint == "between" and later is None:
            continue
        yield Constraint(_range(joint, by, period, later), f"{joint} {period.text}".strip())
        if joint == "between":
            return


def _said_of_documents(tokens: Sequence[Token], at: int) -> tuple[str, str] | None:
    """Return how a date is joined to the documents that it is said of, and what was done then."""
    before = at - 1
    while before >= 0 and tokens[before].low in ("the", "of") and tokens[before - 1].low in _ALL:
        before -= 1
    joint = tokens[before].low if before >= 0 else ""
    if joint in _WRITTEN | _CHANGED:
        joint, before = "in", at
    if joint not in _ALL:
        return None
    by = ""
    for token in reversed(tokens[max(0, before - _FURTHEST) : before]):
        if token.low in _WRITTEN | _CHANGED:
            by = "created" if token.low in _WRITTEN else "modified"
        elif token.low in _DOCUMENTS:
            return joint, by
        elif token.low not in _SMALL:
            return None
    return None


_ALL = _FROM | _SINCE | _AFTER | _BEFORE | _UNTIL | {"between"}


def _range(joint: str, by: str, period: Period, later: Period | None) -> Filter:
    start: date | None = period.start
    end: date | None = period.end
    if joint in _SINCE:
        end = None
    elif joint in _AFTER:
        start, end = period.end, None
    elif joint in _BEFORE:
        start, end = None, period.start
    elif joint in _UNTIL:
        start = None
    elif joint == "between" and later is not None:
        end = max(later.end, period.end)
    ranges = [TimeRange(_moment(start), _moment(end), name) for name in ("modified", "created")]
    if by:
        return next(one for one in ranges if one.by == by)
    return AnyOf(tuple(ranges)) if joint in _FROM else ranges[0]


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)
