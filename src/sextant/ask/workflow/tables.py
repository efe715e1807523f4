"""YAML text as a table that knows the line of each key. No aliases, no tags, no depth to speak of.

Knows no key. Plain Python throughout: the files are small, and the parser in C can be crashed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from sextant.errors import ConfigError

_DEEPEST = 8
"""As deep as our own files need to be, and more."""

Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The values of a file, and the line that each stands in."""

    file: str
    values: Mapping[str, Any]
    lines: Mapping[Where, int]

    def at(self, *where: str | int) -> str:
        """Say where a value stands; of one that is not there, only the file."""
        line = self.lines.get(where)
        return f"{self.file}, line {line}" if line else self.file


def read_table(file: str, text: str, deepest: int = _DEEPEST) -> Table:
    """Read a YAML text that is one table, and nested no deeper than this."""
    loader = yaml.SafeLoader("")
    try:
        _refuse_tricks(file, text, deepest)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        lines = _lines(file, node)
        values = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        raise ConfigError(
            f"{file}{_line(error)}: it is no YAML: {_problem(error)}.", "Correct it there."
        ) from None
    except (ValueError, OverflowError):
        raise ConfigError(
            f"{file}: a number or a date in it cannot be read.", "Put it into quotes."
        ) from None
    finally:
        loader.dispose()
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ConfigError(f"{file}: it is no table of names and values.", "Write `name: value`.")
    return Table(file, values, lines)


def _refuse_tricks(file: str, text: str, deepest: int) -> None:
    """Refuse aliases, by which little text becomes much, and nesting that nothing here needs."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None):
            raise ConfigError(
                f"{file}, line {line}: anchors and aliases are not taken.", "Write it out."
            )
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > deepest:
            raise ConfigError(
                f"{file}, line {line}: it is nested deeper than {deepest}.", "Write it flatter."
            )


def _lines(file: str, node: yaml.Node | None, where: Where = ()) -> dict[Where, int]:
    """Return the line of each value, and refuse a key that comes twice."""
    found: dict[Where, int] = {where: node.start_mark.line + 1} if node and where else {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*where, str(key.value))
            if here in found:
                line = key.start_mark.line + 1
                raise ConfigError(f"{file}, line {line}: {key.value} comes twice.", "Keep one.")
            found |= {**_lines(file, value, here), here: key.start_mark.line + 1}
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            found |= _lines(file, item, (*where, number))
    return found


def _line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f", line {mark.line + 1}" if mark is not None else ""


def _problem(error: yaml.YAMLError) -> str:
    """Return what the parser says, without the excerpt it adds."""
    said = getattr(error, "problem", None) or getattr(error, "reason", None)
    return str(said)[:200] if said else "it cannot be read"
