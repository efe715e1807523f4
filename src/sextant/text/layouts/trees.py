"""Records of a tree of lines, as JSON and YAML are written down. Knows indents, keys and items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sextant.text.layouts.piece import Field, Line, Unit, record_pieces
from sextant.types import Passage

_ENTRY = re.compile(
    r"^( *)(?:-(?: (?P<item>.*))?|(?P<key>\S(?:(?![.!?] ).){0,80}?):(?: (?P<value>.*))?)$"
)
_STEP = 2
_TOGETHER = 300
"""A longer list of values is told value by value."""


@dataclass(slots=True)
class _Node:
    """An entry with what is inside it; a value goes on over the lines under it."""

    label: str
    value: str
    start: int
    end: int
    indent: int
    inside: list[_Node] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        return not self.inside

    @property
    def is_list(self) -> bool:
        return bool(self.inside) and all(one.is_leaf and not one.label for one in self.inside)

    @property
    def is_flat(self) -> bool:
        """Whether it holds values and lists of them, and nothing deeper."""
        return bool(self.inside) and all(one.is_leaf or one.is_list for one in self.inside)

    @property
    def is_record(self) -> bool:
        return any(one.is_leaf and one.label for one in self.inside)


def is_tree(lines: Sequence[Line]) -> bool:
    """Whether lines are entries, or go on with the value of one; one line alone may be prose."""
    own = [line for _, _, line in lines if line.strip()]
    return len(own) > 1 and all(_ENTRY.match(line) or line[0] == " " for line in own)


def records_in(passage: Passage, lines: Sequence[Line]) -> list[Unit]:
    """Return one piece for each record, and one for each value outside of records."""
    found: list[Unit] = []
    for node in _grown(lines).inside:
        if node.is_leaf or node.is_list:
            found += record_pieces(passage, list(_fields(node)), "record")
        else:
            found += _node_pieces(passage, node, (), "")
    return found


def _node_pieces(
    passage: Passage, node: _Node, path: tuple[str, ...], owner: str
) -> Iterator[Unit]:
    """Yield the pieces of what is inside a node, under the names on the way to it."""
    lead = _lead(node, path, owner)
    own = (*path, node.label) if node.label else path
    under = " ".join(own)
    if node.is_record and not node.label:
        owner, lead = "; ".join(filter(None, (owner, _first(node)))), owner
    elif node.is_record:
        owner = lead
    held: list[Field] = []
    for one in node.inside:
        if one.is_leaf or one.is_list or (node.is_record and one.is_flat and one.label):
            held += _fields(one)
            if one is node.inside[0] and node.label:
                held[0] = replace(held[0], start=node.start)
            continue
        yield from record_pieces(passage, held, "record", under, lead)
        held, lead = [], owner
        yield from _node_pieces(passage, one, own, owner)
    yield from record_pieces(passage, held, "record", under, lead)


def _lead(node: _Node, path: Sequence[str], owner: str) -> str:
    """Return how the pieces of a node begin: with whose it is, and what it is called."""
    if owner or not path or not node.label:
        return "; ".join(filter(None, (owner, node.label)))
    return f"{path[-1]}: {node.label}"


def _first(node: _Node) -> str:
    """Return the value that tells a record from others, which is mostly its first."""
    return next((f"{one.label}: {one.value}" for one in node.inside if one.is_leaf), "")


def _fields(node: _Node, before: str = "") -> Iterator[Field]:
    """Yield what a value, a list of values or a flat entry says."""
    label = f"{before} {node.label}".strip()
    if node.is_leaf:
        yield Field(label, node.value, node.start, node.end)
    elif node.is_list and node.end - node.start <= _TOGETHER:
        values = ", ".join(one.value for one in node.inside)
        yield Field(label, values, node.start, node.end)
    else:
        for one in node.inside:
            yield from _fields(one, label)


def _grown(lines: Sequence[Line]) -> _Node:
    """Return the tree that lines stand for; a passage may begin inside one, without its indent."""
    root = _Node("", "", 0, 0, -_STEP)
    open_nodes = [root]
    for node in _nodes(lines):
        while open_nodes[-1].indent >= node.indent:
            open_nodes.pop()
        if open_nodes[-1].value:
            goes_on = open_nodes[-1]
            goes_on.value = f"{goes_on.value} {_spoken(node)}"
        else:
            open_nodes[-1].inside.append(node)
            open_nodes.append(node)
        for one in open_nodes:
            one.end = node.end
    return root


def _nodes(lines: Sequence[Line]) -> Iterator[_Node]:
    own = [line for line in lines if line[2].strip()]
    for at, (start, end, line) in enumerate(own):
        indent = len(line) - len(line.lstrip())
        entry = _ENTRY.match(line)
        if entry is None:
            yield _Node("", line.strip(), start + indent, end, indent)
            continue
        label = (entry["key"] or "").replace("_", " ")
        node = _Node(label, entry["item"] or entry["value"] or "", start + indent, end, indent)
        if at == 0 and len(own) > 1:
            node = replace(node, indent=max(indent, _lost_indent(node, own[1][2])))
        yield node


def _lost_indent(first: _Node, following: str) -> int:
    """Return how far the first entry was indented before its blanks were cut off."""
    deeper = len(following) - len(following.lstrip())
    return deeper if first.value else max(deeper - _STEP, 0)


def _spoken(node: _Node) -> str:
    return f"{node.label}: {node.value}" if node.label else node.value
