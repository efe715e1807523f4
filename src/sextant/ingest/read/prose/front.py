"""Front matter: the fields before a Markdown text. Knows YAML and TOML heads, and no Markdown."""

from __future__ import annotations

import re
import tomllib

from sextant.errors import ReadError
from sextant.ingest.read.data.yamls import load_yaml
from sextant.ingest.read.declared import NOTHING, Declared, declared
from sextant.ingest.read.limits import ReadLimits

_OPEN = re.compile(r"(---|\+\+\+)[ \t]*\n")
_CLOSE = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE),
}
_LONGEST = 100_000


def front_matter(text: str, limits: ReadLimits) -> tuple[Declared, int]:
    """Return the fields of the head and where the text after it starts; no head is no fields."""
    opened = _OPEN.match(text)
    closed = opened and _CLOSE[opened[1]].search(text, opened.end(), _LONGEST)
    if not opened or not closed:
        return NOTHING, 0
    fields = _fields(opened[1], text[opened.end() : closed.start()], limits)
    return (declared(fields), closed.end()) if fields is not None else (NOTHING, 0)


def _fields(mark: str, head: str, limits: ReadLimits) -> dict[object, object] | None:
    """Parse the head; a text between two rules that is not a mapping is no head."""
    value: object
    try:
        value = tomllib.loads(head) if mark == "+++" else next(iter(load_yaml(head, limits)), {})
    except (ReadError, tomllib.TOMLDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
