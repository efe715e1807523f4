"""Expressions of a declarative workflow: from text to a tree. Knows the grammar, no value.

The language is the small part of Power Fx that such workflows need: variables and their fields,
texts, numbers, lists and records, comparisons, sums, and a few functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sextant.ask.workflow.place import close
from sextant.errors import ConfigError

LONGEST = 4_000
"""Characters of an expression: several times the longest that a prompt's input needs."""

_DEEPEST = 24
_MANY = 100

FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "And": (1, _MANY),
    "Char": (1, 1),
    "Coalesce": (1, _MANY),
    "Concat": (2, 3),
    "Concatenate": (1, _MANY),
    "CountRows": (1, 1),
    "ForAll": (2, 2),
    "Index": (2, 2),
    "IsBlank": (1, 1),
    "Max": (1, _MANY),
    "Min": (1, _MANY),
    "Not": (1, 1),
    "Now": (0, 0),
    "Or": (1, _MANY),
    "Sequence": (1, 1),
    "Text": (1, 2),
    "Today": (0, 0),
}
"""The functions that are understood, each with the fewest and the most arguments."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number, or a truth value."""

    value: str | float | bool


@dataclass(frozen=True, slots=True)
class Name:
    """A variable's scope, such as Local, or a field of the row at hand."""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record."""

    of: Node
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function and what it is given."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """Two values joined by a sign."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Record:
    """Values by their names."""

    fields: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Values in a row."""

    items: tuple[Node, ...]


Node = Literal | Name | Field | Call | Operation | Record | Listed

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>\"(?:[^\"]|\"\")*\")|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>&&|\|\||<>|<=|>=|[-+&=<>!(){}\[\],:.]))"
)
_LEVELS = (("||",), ("&&",), ("=", "<>", "<", "<=", ">", ">="), ("+", "-", "&"))
"""Signs that join two values, those that bind least first."""


def parse_expression(text: str, where: str) -> Node:
    """Read an expression without its leading equals sign, or say where it is not understood."""
    if len(text) > LONGEST:
        raise ConfigError(
            f"{where}: an expression is longer than {LONGEST:,} characters.", "Shorten it."
        )
    parser = _Parser(list(_tokens(text, where)), where)
    node = parser.joined()
    parser.expect_end()
    return node


def parse_template(text: str, where: str) -> tuple[Node, ...]:
    """Read a text with expressions in braces as its pieces in their order."""
    pieces = re.split(r"\{([^{}]*)\}", text)
    return tuple(
        parse_expression(piece, where) if at % 2 else Literal(piece)
        for at, piece in enumerate(pieces)
        if piece
    )


def _tokens(text: str, where: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            shown = text[at:].strip()[:20]
            raise _refused(where, f"{shown!r} is not understood")
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()


class _Parser:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[tuple[str, str]], where: str) -> None:
        self._tokens = tokens
        self._where = where
        self._at = 0
        self._depth = 0

    def joined(self, level: int = 0) -> Node:
        """Read values that are joined by signs of this level or of one that binds more."""
        if level == len(_LEVELS):
            return self._unary()
        node = self.joined(level + 1)
        while (sign := self._taken(*_LEVELS[level])) is not None:
            node = Operation(sign, node, self.joined(level + 1))
        return node

    def expect_end(self) -> None:
        """Refuse what stands behind a whole expression."""
        if self._at < len(self._tokens):
            raise _refused(self._where, f"{self._tokens[self._at][1]!r} comes unexpectedly")

    def _unary(self) -> Node:
        if self._taken("!") is not None:
            return Call("Not", (self._unary(),))
        if self._taken("-") is not None:
            return Operation("-", Literal(0.0), self._unary())
        node = self._primary()
        while self._taken(".") is not None:
            node = Field(node, self._name())
        return node

    def _primary(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _refused(self._where, f"it is nested deeper than {_DEEPEST}")
        node = self._value()
        self._depth -= 1
        return node

    def _value(self) -> Node:
        if self._at >= len(self._tokens):
            raise _refused(self._where, "it ends too early")
        kind, token = self._tokens[self._at]
        self._at += 1
        match kind, token:
            case "number", _:
                return Literal(float(token))
            case "text", _:
                return Literal(token[1:-1].replace('""', '"'))
            case "name", "true" | "false":
                return Literal(token.startswith("t"))
            case "name", _:
                return self._call(token) if self._taken("(") is not None else Name(token)
            case "sign", "(":
                node = self.joined()
                self._need(")")
                return node
            case "sign", "[":
                return Listed(tuple(self._until("]")))
            case "sign", "{":
                return Record(tuple(self._fields()))
            case _:
                raise _refused(self._where, f"{token!r} comes unexpectedly")

    def _call(self, function: str) -> Node:
        if function not in FUNCTIONS:
            raise ConfigError(
                f"{self._where}: the function {function} is not understood.",
                close(function, FUNCTIONS),
            )
        arguments = tuple(self._until(")"))
        fewest, most = FUNCTIONS[function]
        if not fewest <= len(arguments) <= most:
            raise _refused(self._where, f"{function} is given {len(arguments)} values")
        return Call(function, arguments)

    def _until(self, end: str) -> Iterator[Node]:
        while self._taken(end) is None:
            yield self.joined()
            if self._taken(",") is None:
                self._need(end)
                return

    def _fields(self) -> Iterator[tuple[str, Node]]:
        while self._taken("}") is None:
            name = self._name()
            self._need(":")
            yield name, self.joined()
            if self._taken(",") is None:
                self._need("}")
                return

    def _name(self) -> str:
        kind, token = self._tokens[self._at] if self._at < len(self._tokens) else ("", "the end")
        if kind != "name":
            raise _refused(self._where, f"a name is missing before {token!r}")
        self._at += 1
        return token

    def _taken(self, *signs: str) -> str | None:
        """Take one of these signs if it is next."""
        if self._at < len(self._tokens) and self._tokens[self._at] in {("sign", s) for s in signs}:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _need(self, sign: str) -> None:
        if self._taken(sign) is None:
            raise _refused(self._where, f"{sign!r} is missing")


def _refused(where: str, why: str) -> ConfigError:
    known = ", ".join(FUNCTIONS)
    return ConfigError(
        f"{where}: the expression is not understood: {why}.",
        f"Use variables, texts, numbers, comparisons, and {known}.",
    )
