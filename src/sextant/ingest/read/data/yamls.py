"""YAML from its events, without recursion: only texts, lists and dicts, to a limited depth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sextant.errors import BrokenFile, TooMuch
from sextant.ingest.read.limits import ReadLimits, at_most

_Value = str | list[Any] | dict[str, Any]


def load_yaml(text: str, limits: ReadLimits) -> list[_Value]:
    """Return the documents of a YAML text; scalars stay as they were written."""
    import yaml

    try:
        return list(_Builder(limits).documents(yaml.parse(text, Loader=_loader())))
    except yaml.YAMLError as error:
        raise BrokenFile(f"It is no YAML{_place(error)}.", "Mend it with a YAML linter.") from None


class _Builder:
    """Puts values together while events come in. The parser in C would recurse, and crash."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._open: list[tuple[_Value, str]] = []
        self._keys: list[str | None] = []
        self._sizes: list[int] = []
        self._named: dict[str, tuple[_Value, int]] = {}
        self._done: _Value = ""

    def documents(self, events: Iterator[Any]) -> Iterator[_Value]:
        """Yield a value per document."""
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                self._named, self._done = {}, ""
            elif kind == "DocumentEndEvent":
                yield self._done
            elif kind == "ScalarEvent":
                self._place(event.value, event.anchor or "", 1)
            elif kind == "AliasEvent":
                value, size = self._meant(event.anchor)
                self._place(value, "", size)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                self._begin({} if kind == "MappingStartEvent" else [], event.anchor or "")
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                self._keys.pop()
                self._place(*self._open.pop(), self._sizes.pop())

    def _begin(self, value: _Value, anchor: str) -> None:
        if len(self._open) >= self._limits.depth:
            raise TooMuch(f"It is nested deeper than {self._limits.depth}.", "Flatten it.")
        self._open.append((value, anchor))
        self._keys.append(None)
        self._sizes.append(1)

    def _place(self, value: _Value, anchor: str, size: int) -> None:
        """Put a finished value where it belongs; its size is counted with what aliases repeat."""
        if anchor:
            self._named[anchor] = (value, size)
        if not self._open:
            self._done = value
            return
        self._sizes[-1] += size
        at_most(self._limits.nodes, self._sizes[-1], "values")
        holder, _ = self._open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif isinstance(holder, dict):
            key = self._keys[-1]
            if key is None:
                self._keys[-1] = value if isinstance(value, str) else "?"
            else:
                holder[key] = value
                self._keys[-1] = None

    def _meant(self, anchor: str) -> tuple[_Value, int]:
        """Return what an alias stands for; a value that is not finished cannot be meant."""
        if anchor not in self._named:
            raise BrokenFile(f"Its alias *{anchor[:40]} means nothing.", "Mend it.")
        return self._named[anchor]


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark is not None else ""


@cache
def _loader() -> Any:
    """Prefer the parser in C, which is much faster."""
    import yaml

    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)
