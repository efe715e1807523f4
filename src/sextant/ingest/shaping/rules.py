"""Which tags, personas, type, reputation and link a document gets, by its path or address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sextant.errors import ConfigError, Forbidden, InvalidInput
from sextant.types import OPERATOR

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from sextant.settings import Rule

_USUAL = 0.5
_EVERYBODY = "*"
_WILD = "*?"


@dataclass(frozen=True, slots=True)
class Marks:
    """What the rules say of one document."""

    tags: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    source_type: str = ""
    reputation: float = _USUAL
    ruled: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The personas that a rule names; left out of what a document is known by."""
    base_url: str = field(default="", repr=False)
    """Below which address its link is; a fingerprint has it only where there is one."""
    is_rated: bool = field(default=False, repr=False, compare=False)
    """Whether a rule says what it is worth; a fingerprint has it where that is the usual."""

    @property
    def is_usual_by_rule(self) -> bool:
        """Whether a rule gives it the reputation that others have without one."""
        return self.is_rated and self.reputation == _USUAL


@dataclass(frozen=True)
class Ruling:
    """Rules in the order of the settings, then what was asked for on the spot.

    A pattern counts wherever in a path it stands, so that a rule that hides something hides it from
    whichever folder it is taken in. A rule that names owners says nothing of what others bring.
    """

    rules: tuple[Rule, ...] = ()
    asked: Marks = Marks()
    owner: str = ""
    curates: bool = True

    def marks(self, *paths: str) -> Marks:
        """Add up the rules that match one of a document's paths.

        Tags and personas of all of them count, of the rest the last word.
        """
        tags, personas = set(self.asked.tags), set[str]()
        source_type, reputation, base_url = "", -1.0, ""
        for rule, spec in zip(self.rules, self._specs, strict=True):
            if self._is_named_by(rule) and _matches(spec, paths):
                tags.update(rule.tags)
                personas.update(rule.personas)
                source_type = rule.source_type or source_type
                reputation = rule.reputation if rule.reputation >= 0 else reputation
                base_url = rule.base_url or base_url
        return Marks(
            tuple(sorted(tags)),
            tuple(sorted(personas.union(self.asked.personas))),
            self.asked.source_type or source_type,
            _USUAL if reputation < 0 else reputation,
            tuple(sorted(personas)),
            self.asked.base_url or base_url,
            is_rated=reputation >= 0,
        )

    def check_claim(self, *paths: str) -> None:
        """Refuse to bring a document where a rule says what documents are worth.

        A curator may, and so may the owners that the rule names.
        """
        if self.curates:
            return
        for rule, spec in zip(self.rules, self._specs, strict=True):
            is_named = bool(rule.owners) and self._is_named_by(rule)
            if _reserves(rule) and not is_named and _matches(spec, paths):
                raise self._reserved()

    def _reserved(self) -> Forbidden:
        """Return what is said where a rule keeps a path for others: why, and who can change it."""
        own = json.dumps(self.owner, ensure_ascii=False)
        return Forbidden(
            "A rule of the settings gives documents at this path, name, id or address a "
            "reputation, and this caller is not among the rule's owners.",
            "Use another path, name or id; send it with the role Sextant.Admin; or ask for "
            f"owners = [{own}] in that rule of ingest.rules.",
        )

    def owner_of(self, exported: str) -> str:
        """Return whose a document is; a curator may bring it for whom it was exported."""
        return (self.curates and exported) or self.owner

    def _is_named_by(self, rule: Rule) -> bool:
        """Whether a rule is about what this owner brings."""
        if not rule.owners or _EVERYBODY in rule.owners:
            return True
        if not self.owner:
            return OPERATOR in rule.owners
        return self.owner in rule.owners and self.owner != OPERATOR  # a user may be called so

    @cached_property
    def _specs(self) -> Sequence[GitIgnoreSpec]:
        return [_spec(rule) for rule in self.rules]


def _reserves(rule: Rule) -> bool:
    """Whether a rule keeps a path for those it trusts: it names one, and says what it is worth."""
    return rule.reputation >= 0 and any(map(_is_name, rule.match.split("/")))


def _is_name(part: str) -> bool:
    """Whether a part of a pattern names something, other than ``**`` and ``*.md`` do."""
    rest = part.lstrip(_WILD)
    return bool(rest) and not (rest != part and rest.startswith("."))


def _matches(spec: GitIgnoreSpec, paths: Iterable[str]) -> bool:
    return any(spec.match_file(path.partition("://")[2] or path) for path in paths if path)


def _spec(rule: Rule) -> GitIgnoreSpec:
    # A process that reads is given marks, and would load what matches patterns for nothing.
    from sextant.ingest.shaping.globs import git_spec

    anywhere = rule.match if rule.match.startswith(("/", "**/")) else f"**/{rule.match}"
    try:
        return git_spec([rule.match, anywhere], "a rule")
    except InvalidInput as error:
        raise ConfigError(
            f"The rule for {rule.match[:200]!r} is no pattern: {error.message}", error.hint
        ) from None
