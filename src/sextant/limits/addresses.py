"""Which addresses links may start with."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from sextant.errors import InvalidInput
from sextant.limits.values import DEFAULT

_PLACES = frozenset({"{path}", "{stem}"})
_BRACED = re.compile(r"\{[^}]*\}?|\}")
_HINT = (
    "Write one such as https://docs.example.org/ or https://example.org/{path}; "
    "{path} and {stem} stand for a file's path with and without its ending."
)


def check_base_url(address: str) -> None:
    """Refuse a base address that makes no links: it is absolute, and has no fragment."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise InvalidInput("The base address is no web address.", _HINT) from None
    is_web = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not is_web or not address.isprintable() or " " in address or len(address) > DEFAULT.url:
        raise InvalidInput("The base address is no web address.", _HINT)
    unknown = set(_BRACED.findall(address)) - _PLACES
    if unknown or _BRACED.search(parts.netloc):
        raise InvalidInput(f"The base address has {min(unknown or {parts.netloc})}.", _HINT)
    if not _BRACED.search(address) and (parts.query or parts.fragment):
        raise InvalidInput("The base address ends in a query or fragment.", _HINT)
