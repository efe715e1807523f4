"""Which tool gives what another one needs, read off parameters, within one source.

Two signs are taken: a parameter's description that names the other tool, and a required parameter
that is the id of what the other tool makes or lists. Rather none than a wrong one: what has several
possible origins has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sextant.types import LinkOrigin, Tool, ToolLink, ToolRelation

NAMED_CONFIDENCE = 0.7
"""All 22 parameters of LiveMCPBench whose description names a tool of their server need it, but the
user may know the value already."""
RETURNED_CONFIDENCE = 0.5
"""As surely as the seed asks of a related tool: the names agree, and nobody says that it is so."""

_MOST_PRODUCERS = 3
"""What more tools than this return is known from many places; only those that make it count."""
_MOST_PER_TOOL = 6
_LONGEST_READ = 2_000
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_/.-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")
_IDS = frozenset({"id", "key", "number", "uuid", "guid", "slug", "sha", "handle", "token", "code"})
_MAKING = frozenset(
    ["create", "add", "new", "open", "start", "upload", "register", "insert", "make", "post"]
) | {"place", "book", "submit", "send"}
_LISTING = frozenset({"list", "search", "find", "get", "query", "lookup", "fetch", "browse"})
_ENDING = frozenset({"by", "for", "from", "in", "of", "with", "to", "on", "and", "at"})
_EMPTY = frozenset({"a", "an", "the", "all", "my", "new"})
_WRAPPERS = frozenset({"data", "result", "results", "items", "item", "value", "values", "response"})

Key = tuple[str, str]
"""What is identified, and by what: ``("issue", "id")``."""


def inferred_relations(tools: Sequence[Tool]) -> tuple[ToolRelation, ...]:
    """Return which tools of one source give others what they need; never required ones."""
    found: dict[tuple[str, str, str], ToolRelation] = {}
    by_server: dict[str, list[_Read]] = defaultdict(list)
    for tool in tools:
        by_server[tool.server].append(_Read(tool))
    for read in by_server.values():
        names = {one.tool.name: one.tool for one in read}
        producers = _producers(read)
        for one in read:
            related = [*_named_in(one.tool, names), *_returned_to(one, producers)]
            for relation in related[:_MOST_PER_TOOL]:
                found.setdefault(relation.key, relation)
    return tuple(found.values())


@dataclass(slots=True)
class _Read:
    """A tool, what it does, and to what."""

    tool: Tool
    verb: str = field(init=False)
    noun: str = field(init=False)
    tail: frozenset[str] = field(init=False)
    """For or from whom, as names say it behind a preposition."""

    def __post_init__(self) -> None:
        words = [word.lower() for word in _WORDS.findall(self.tool.name)]
        known = _MAKING | _LISTING
        self.verb = next((word for word in words if word in known), "")
        end = next((at for at, word in enumerate(words) if at and word in _ENDING), len(words))
        kept = [word for word in words[:end] if word not in known | _EMPTY]
        self.noun = " ".join(map(_singular, kept))
        self.tail = frozenset(map(_singular, words[end + 1 :]))

    def needs(self) -> Iterator[tuple[str, Key, str]]:
        """Yield the required parameters that identify something: name, what, and of which type."""
        properties = _table(self.tool.schema.get("properties"))
        for name in self.tool.schema.get("required", ()):
            words = [word.lower() for word in _WORDS.findall(name)]
            is_made = len(words) == 1 and self.verb in _MAKING  # what it makes is not there yet
            if words and words[-1] in _IDS and not is_made:
                what = " ".join(map(_singular, words[:-1])) or self.noun
                yield name, (what, words[-1]), _type(properties.get(name))

    def gives(self) -> Iterator[tuple[Key, str]]:
        """Yield by what the thing that it makes or lists is identified, with the type."""
        if not self.noun or not self.verb:
            return
        for name, schema in _properties(self.tool.returns, self.noun, 3):
            words = [word.lower() for word in _WORDS.findall(name)]
            if not words or words[-1] not in _IDS:
                continue
            what = " ".join(map(_singular, words[:-1]))
            if what in ("", self.noun):
                yield (self.noun, words[-1]), _type(schema)


_Given = tuple[_Read, str]
"""Who gives something, and of which type it is."""


def _producers(read: Sequence[_Read]) -> Mapping[Key, Sequence[_Given]]:
    """Return who gives each key, and of which type; whoever needs it does not give it."""
    found: dict[Key, dict[str, _Given]] = defaultdict(dict)
    for one in read:
        needed = {key for _, key, _ in one.needs()}
        for key, kind in one.gives():
            if key not in needed:
                found[key].setdefault(one.tool.id, (one, kind))
    return {key: _few(list(given.values())) for key, given in found.items()}


def _few(given: Sequence[_Given]) -> Sequence[_Given]:
    if len(given) > _MOST_PRODUCERS:
        given = [one for one in given if one[0].verb in _MAKING]
    return given if len(given) <= _MOST_PRODUCERS else []


def _named_in(tool: Tool, names: Mapping[str, Tool]) -> Iterator[ToolRelation]:
    """Yield the tools that the descriptions of a tool's parameters name."""
    for parameter, schema in _table(tool.schema.get("properties")).items():
        text = _table(schema).get("description")
        for word in _TOOL_NAME.findall(text[:_LONGEST_READ]) if isinstance(text, str) else ():
            other = names.get(word)
            if other and other.id != tool.id:
                reason = f"the description of its {parameter} names {other.name}"
                yield _needed(tool, other, NAMED_CONFIDENCE, reason)


def _returned_to(one: _Read, producers: Mapping[Key, Sequence[_Given]]) -> Iterator[ToolRelation]:
    for parameter, key, kind in one.needs():
        for other, returned in producers.get(key, ()):
            is_same = not kind or not returned or kind == returned
            if is_same and other.tool.id != one.tool.id and _is_alike(one.tail, other.tail):
                reason = f"its {parameter} is the {key[1]} that {other.tool.name} returns"
                yield _needed(one.tool, other.tool, RETURNED_CONFIDENCE, reason)


def _is_alike(tail: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two tools may be for the same: one for an organisation gives nothing to a user's."""
    return not tail or not other or not tail.isdisjoint(other)


def _needed(tool: Tool, other: Tool, confidence: float, reason: str) -> ToolRelation:
    return ToolRelation(
        tool.id,
        other.id,
        ToolLink.DEPENDS_ON,
        confidence,
        required=False,
        reason=reason,
        origin=LinkOrigin.IMPORTED,
    )


def _properties(schema: Any, noun: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the properties of what is returned, out of lists and wrappers."""
    table = _table(schema)
    if "items" in table and depth:
        yield from _properties(table["items"], noun, depth - 1)
    for name, own in _table(table.get("properties")).items():
        words = " ".join(_singular(word.lower()) for word in _WORDS.findall(name))
        if depth and (name.lower() in _WRAPPERS or words == noun):
            yield from _properties(own, noun, depth - 1)
        yield name, own


def _type(schema: Any) -> str:
    kind = _table(schema).get("type", "")
    return kind if isinstance(kind, str) else ""


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if is_plural else word
