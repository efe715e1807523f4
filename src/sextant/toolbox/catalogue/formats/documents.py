"""From bytes to values: JSON, JSON Lines or YAML, within bounds. Knows no form of a catalogue."""

from __future__ import annotations

import json
from functools import cache
from pathlib import PurePath
from typing import Any

from sextant.errors import BrokenFile, InvalidInput, TooMuch
from sextant.text.codec.decode import loads

LARGEST = 128 * 1024 * 1024
"""Bytes of one file: 50,000 tools of the size that the 527 of LiveMCPBench have are 65 MB."""

_DEEPEST = 100
"""The C parser of YAML recurses; the deepest of real OpenAPI files stay below 30."""
_MOST_ALIASES = 10_000
_YAML = frozenset({".yaml", ".yml"})
_LINES = frozenset({".jsonl", ".ndjson"})
_MEND = "Correct it there; JSON, JSON Lines and YAML are read."


def read_value(name: str, data: bytes) -> Any:
    """Return what a file holds; a file of several lines of JSON is a list of them."""
    if len(data) > LARGEST:
        raise TooMuch(f"{name} is larger than {LARGEST:,} bytes.", "Split it into several files.")
    text = _decoded(name, data)
    suffix = PurePath(name).suffix.lower()
    if suffix in _YAML:
        return _yaml(name, text)
    if suffix in _LINES or _is_lines(text):
        return _lines(name, text)
    if text.lstrip()[:1] in ("{", "["):
        return _json(name, text)
    return _yaml(name, text)


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(
            f"{name} is not written in UTF-8 (byte {error.start}).", "Save it as UTF-8."
        ) from None


def _is_lines(text: str) -> bool:
    """Whether a text is JSON Lines: its first line is a whole object, and there is a second."""
    first, _, rest = text.strip().partition("\n")
    if not (first.startswith("{") and rest.lstrip().startswith("{")):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _json(name: str, text: str, line: int = 0) -> Any:
    try:
        return loads(text)
    except InvalidInput as error:
        where = f"{name}, line {line}" if line else name
        raise BrokenFile(f"{where}: {error.message}.", _MEND) from None


def _lines(name: str, text: str) -> list[Any]:
    numbered = enumerate(text.split("\n"), 1)
    return [_json(name, line, number) for number, line in numbered if line.strip()]


def _yaml(name: str, text: str) -> Any:
    import yaml

    events, load = _loaders()
    try:
        _refuse_depth(name, yaml.parse(text, Loader=events))
        return yaml.load(text, Loader=load)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise BrokenFile(f"{name}{line}: it is neither JSON nor YAML.", _MEND) from None
    except (ValueError, OverflowError, TypeError):
        raise BrokenFile(
            f"{name}: a number, a date or a key in it cannot be read.", "Put it into quotes."
        ) from None


def _refuse_depth(name: str, events: Any) -> None:
    """Refuse what is nested deeper than the parser can bear, and more aliases than anybody sets."""
    depth = aliases = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("MappingStartEvent", "SequenceStartEvent")
        depth -= kind in ("MappingEndEvent", "SequenceEndEvent")
        aliases += kind == "AliasEvent"
        if depth > _DEEPEST or aliases > _MOST_ALIASES:
            raise TooMuch(
                f"{name}, line {event.start_mark.line + 1}: it is nested deeper than {_DEEPEST}, "
                f"or has more than {_MOST_ALIASES:,} aliases.",
                "Write it flatter.",
            )


@cache
def _loaders() -> tuple[Any, Any]:
    """Prefer the parser in C, which is ten times as fast."""
    import yaml

    return (
        getattr(yaml, "CBaseLoader", yaml.BaseLoader),
        getattr(yaml, "CSafeLoader", yaml.SafeLoader),
    )
