"""Where Markdown and HTML lead: destinations as a browser reads them. Knows no reply.

What is in doubt counts as an address: a browser forgives more than a grammar does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

Allows = Callable[[str, bool], bool]
"""Whether an address may stand in a reply; the second says whether it is loaded without a click."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_UNSEEN = re.compile(r"[\x00-\x20]")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}", re.IGNORECASE)
_HOST = re.compile(r"(?:https?:)?//([a-z0-9.-]+)(?::[0-9]{1,5})?(?=[/?#]|\Z)", re.IGNORECASE)
_NAME = r"[A-Za-z_:][\w.:-]*"
_VALUE = r"\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+"
_ATTRIBUTE = re.compile(rf"\s({_NAME})(?:\s*=\s*({_VALUE}))?")
TAG = re.compile(rf"<([A-Za-z][A-Za-z0-9-]*)((?:\s+{_NAME}(?:\s*=\s*(?:{_VALUE}))?)*)\s*/?>")
"""A tag that CommonMark takes for one."""
_PREFIX = (
    rf"<[A-Za-z][A-Za-z0-9-]*(?:\s+{_NAME}(?:\s*=\s*(?:{_VALUE}))?)*"
    rf"(?:\s+{_NAME}\s*=\s*(?:\"[^\"]*|'[^']*)?)?\s*/?"
)
TAG_PREFIX = re.compile(_PREFIX)
"""As much of a text as may belong to one."""
TAG_BEGUN = re.compile(rf"{_PREFIX}\Z")
"""The beginning of one, as far as a text goes."""
_LOADING = frozenset(
    {
        *("applet", "base", "embed", "form", "frame", "frameset", "iframe", "link"),
        *("math", "meta", "object", "script", "style", "svg"),
    }
)
"""Tags that load, send or restyle whatever their attributes say."""
_STYLING = ("style", "srcset", "srcdoc", "ping")


def destination_of(written: str) -> str:
    """Return where a destination of Markdown leads, without its escapes."""
    bare = written[1:-1] if written.startswith("<") else written
    return unescape(_ESCAPED.sub(r"\1", bare))


def is_absolute(address: str) -> bool:
    """Whether an address leads away from the page that shows it."""
    return bool(_ABSOLUTE.match(_UNSEEN.sub("", address)))


def host_of_address(address: str) -> str:
    """Return the host of a web address, in lower case; nothing if any reader could see another.

    A backslash, a user's name before the host, or a sign that is not of a host make it so.
    """
    given = address if "//" in address[:8] else f"//{address}"
    found = _HOST.match(given)
    is_clear = found and "\\" not in address and not _UNSEEN.search(address)
    return found[1].lower() if found and is_clear else ""


def is_harmless_tag(tag: re.Match[str], allows: Allows) -> bool:
    """Whether a tag of HTML loads nothing, and leads nowhere, that is not allowed."""
    name = tag[1].lower()
    return name not in _LOADING and all(
        _is_harmless(one[1].lower(), (one[2] or "").strip("\"'"), allows, loads=name != "a")
        for one in _ATTRIBUTE.finditer(tag[2])
    )


def _is_harmless(name: str, written: str, allows: Allows, *, loads: bool) -> bool:
    if name in _STYLING or name.startswith("on"):
        return False
    value = _UNSEEN.sub("", unescape(written))
    if _ABSOLUTE.match(value):
        return allows(value, loads)
    return "//" not in value and "url(" not in value.lower()
