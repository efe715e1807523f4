"""The kinds of relation and their words, from one table. Knows no entity, no text and no question.

How a kind is told, how sources say it, which fields of a catalogue state it and how it is asked for
stand in ``relation_kinds.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec


@dataclass(frozen=True, slots=True)
class AskedBy:
    """How questions ask for a kind: ``done`` and ``state_of`` have the target as their subject.

    What is ``done_by_people`` asks for it only where it is asked who does.
    """

    does: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    done_by_people: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    state_of: tuple[str, ...] = ()
    noun: tuple[str, ...] = ()
    noun_of: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    into: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationKind:
    """A kind of relation. Of a single one there is one target; one that goes on has a closure."""

    name: str
    sentence: tuple[str, str]
    forwards: tuple[str, ...] = ()
    backwards: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    fields_backwards: Mapping[str, str] = field(default_factory=dict)
    single: bool = False
    people: bool = False
    goes_on: bool = False
    asked: AskedBy = AskedBy()

    @property
    def singular(self) -> str:
        """How it is told of one source."""
        return self.sentence[0]

    @property
    def plural(self) -> str:
        """How it is told of several."""
        return self.sentence[1]


@cache
def relation_kinds() -> Mapping[str, RelationKind]:
    """Return the kinds by their names, in the order of the table."""
    table = tomllib.loads(
        files(__package__).joinpath("relation_kinds.toml").read_text(encoding="utf-8")
    )
    return {
        name: msgspec.convert({"name": name, **row}, RelationKind) for name, row in table.items()
    }


def kind_of(name: str) -> RelationKind:
    """Return a kind; one that the table does not know is told by its name."""
    words = name.replace("_", " ")
    return relation_kinds().get(name) or RelationKind(name, (words, words))


def verb_forms(phrase: str) -> Iterator[str]:
    """Yield a verb, with the words behind it, as a clause about now has it."""
    verb, blank, rest = phrase.partition(" ")
    forms = _IRREGULAR.get(verb) or (verb, _third_person(verb), _with_ing(verb))
    yield from (f"{form}{blank}{rest}" for form in forms)


def participle(phrase: str) -> str:
    """Return a verb as a passive clause has it."""
    verb, blank, rest = phrase.partition(" ")
    return f"{_PARTICIPLES.get(verb) or _with_ed(verb)}{blank}{rest}"


_IRREGULAR = {"have": ("have", "has", "having"), "be": ("is", "are", "being")}
_PARTICIPLES = {
    "belong": "belonged", "build": "built", "come": "come", "fall": "fallen", "feed": "fed",
    "hang": "hung", "have": "had", "lead": "led", "read": "read", "run": "run", "send": "sent",
    "sit": "sat", "stand": "stood", "take": "taken", "write": "written",
}  # fmt: skip


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z")) else f"{verb}s"


def _with_ing(verb: str) -> str:
    doubled = {"run": "runn", "sit": "sitt"}
    return f"{doubled.get(verb) or verb.removesuffix('e')}ing"


def _with_ed(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb.removesuffix('e')}ed"
