"""What the values in a tag or a shortcode say to a reader of the page, if anything."""

from __future__ import annotations

import re
from collections.abc import Iterable

NAMING = (
    "name", "title", "label", "heading", "header", "question", "term", "text", "caption", "alt",
    "summary", "subtitle", "role", "description",
)  # fmt: skip
"""Attributes that are shown, as the elements of the common kits for documentation have them."""

HELD = "\0"
"""What a sign that stands for code begins with, while the marks around it go."""

_TITLES = frozenset({"title", "label", "heading", "header", "question", "summary"})
"""Those that stand over what is inside an element."""

_PATH = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?/|\S*/\S+$|\S+\.(?:png|svg|jpe?g|gif|webp|avif|ico|bmp|mp4|webm|pdf|html?"
    r"|mdx?|ya?ml|json|toml|txt|js|ts|py|go|sh|css)(?:[?#]\S*)?$",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"(?:an?[ ])?(?:alt(?:[ _-]?text)?|caption|diagram|figure|icon|image|img|logo|photo|picture"
    r"|screen[ _-]?shot|thumbnail|untitled)[ _-]?\d*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]")


def names_in(text: str) -> frozenset[str]:
    """Return the names in a list of them."""
    return frozenset(text.split())


def says_something(value: str) -> bool:
    """Whether a value is more than a path, a file's name, or what any picture could be called."""
    value = value.strip()
    if value.startswith(HELD):
        return True
    return bool(_WORD.search(value)) and not (_PATH.match(value) or _GENERIC.fullmatch(value))


def naming_value(fields: Iterable[tuple[str, str]]) -> str:
    """Return what the fields of an element without content name."""
    return ": ".join(_values(fields, frozenset(NAMING)))


def title_value(fields: Iterable[tuple[str, str]]) -> str:
    """Return the title that the fields of an element give its content."""
    return ": ".join(_values(fields, _TITLES))


def _values(fields: Iterable[tuple[str, str]], shown: frozenset[str]) -> list[str]:
    own = [value.strip() for name, value in fields if name.lower() in shown]
    return [value for value in dict.fromkeys(own) if says_something(value)]
