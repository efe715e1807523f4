"""Nested values as readable lines. Knows nothing of what the values mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from sextant.errors import TooMuch
from sextant.ingest.read.decode import storable
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.limits import ReadLimits, at_most
from sextant.ingest.values import Kind

_INDENT = "  "
_LARGE = 700
"""A larger entry may be cut between what is inside it."""


def walk(value: object, limits: ReadLimits) -> Iterator[tuple[int, str, object]]:
    """Yield depth, key and value of everything inside, in order, to the limits and no further."""
    stack: list[Iterator[tuple[str, object]]] = [_inside(value)]
    count = 0
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        count += 1
        at_most(limits.nodes, count, "values")
        yield len(stack) - 1, *entry
        if isinstance(entry[1], Mapping | list):
            if len(stack) >= limits.depth:
                raise TooMuch(f"It is nested deeper than {limits.depth}.", "Flatten it.")
            stack.append(_inside(entry[1]))


def write_tree(draft: Draft, value: object) -> None:
    """Write a value as blocks of lines, one block per entry that has something inside."""
    lines: list[tuple[int, str]] = []
    is_open = False
    size = 0
    for depth, key, inner in walk(value if _nested(value) else [value], draft.limits):
        if depth == 0 and (_nested(inner) or is_open):
            _flush(draft, lines)
            size = 0
        is_open = is_open if depth else _nested(inner)
        lines.append((depth, _line(depth, key, inner)))
        size += len(lines[-1][1])
        at_most(draft.limits.text, size, "characters of text")
    _flush(draft, lines)


def scalar(value: object) -> str:
    """Return a scalar as a person writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return storable(str(value))


def _flush(draft: Draft, lines: list[tuple[int, str]]) -> None:
    draft.add(Kind.TEXT, "\n".join(line for _, line in lines), cuts=_cuts(lines))
    lines.clear()


def _cuts(lines: Sequence[tuple[int, str]]) -> list[int]:
    """Return where entries begin; inside an entry only if it is too large to be kept whole."""
    starts = [0, *accumulate(len(line) + 1 for _, line in lines)]
    cuts: list[int] = []
    stretches = [(0, len(lines), 1)]
    while stretches:
        first, last, depth = stretches.pop()
        own = [n for n in range(first + 1, last) if lines[n][0] <= depth]
        cuts += [starts[n] for n in own]
        for low, high in pairwise([first, *own, last]):
            if starts[high] - starts[low] > _LARGE and high - low > 1:
                stretches.append((low, high, depth + 1))
    return sorted(cuts)


def _line(depth: int, key: str, value: object) -> str:
    shown = "" if _nested(value) else scalar(value)
    lead = f"{storable(key)}:" if key else "-"
    body = f"{lead} {shown}" if shown else lead
    return _INDENT * depth + body.replace("\n", "\n" + _INDENT * (depth + 1))


def _inside(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        return ((str(key), inner) for key, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (("", inner) for inner in value)
    return iter(())


def _nested(value: object) -> bool:
    return isinstance(value, Mapping | list)
