"""Citations as a copilot shows them: links in the text as it comes, and JSON in the state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sextant.text.codec.encode import plain_of
from sextant.text.markdown import printable
from sextant.types import Citation, Json

_MARK = re.compile(r"(?<!\\)\[([^\[\]\n]{1,120})\]")
"""A label in brackets; labels are shorter than this. Brackets of a source are escaped."""
_OPEN = re.compile(r"(?<!\\)\[[^\[\]\n]{0,120}\Z")
_SIGNS = re.compile(r"([\\`*_{}<>#|~!\[\]])")
_ENCODED = {ord(sign): f"%{ord(sign):02X}" for sign in "()<>[]\"'`\\^{}|"}


@dataclass(slots=True)
class Linker:
    """Turns the labels of an answer into links to their own address, or into numbers.

    What comes behind a label that is not known yet is held back until it is.
    """

    addresses: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    _held: str = ""

    def choose(self, addresses: Mapping[str, str]) -> None:
        """Know these labels from now on, and no other."""
        self.addresses = dict(addresses)

    def learn(self, addresses: Mapping[str, str]) -> None:
        """Take in labels, each with the address of its document."""
        self.addresses |= addresses

    def feed(self, text: str) -> str:
        """Return what can be told of the text so far."""
        self._held += text
        told, at = [], 0
        for mark in _MARK.finditer(self._held):
            if mark[1] not in self.addresses:
                break
            told += [self._held[at : mark.start()], self._link(mark[1])]
            at = mark.end()
        unknown = _MARK.search(self._held, at) or _OPEN.search(self._held, at)
        end = unknown.start() if unknown else len(self._held)
        told.append(self._held[at:end])
        self._held = self._held[end:]
        return "".join(told)

    def end(self) -> str:
        """Return what is left; brackets that are no label stay as they are."""
        left, self._held = self._held, ""
        return _MARK.sub(
            lambda mark: self._link(mark[1]) if mark[1] in self.addresses else mark[0], left
        )

    def _link(self, label: str) -> str:
        number = self.numbers.setdefault(label, len(self.numbers) + 1)
        address = safe_address(self.addresses[label])
        if not address:
            return f"[{number}]"
        shown = _SIGNS.sub(r"\\\1", label)
        return f"[{shown}]({address})"


def safe_address(url: str) -> str:
    """Return an https address as it can stand in a link, or nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    is_clean = printable(url) == url and not any(sign.isspace() for sign in url)
    if parts.scheme != "https" or not parts.hostname or parts.username is not None or not is_clean:
        return ""
    return url.translate(_ENCODED)


def citations_json(citations: Sequence[Citation], numbers: Mapping[str, int]) -> list[Json]:
    """Return citations for the state of an agent, under the names that REST has for them.

    The number is that of the label in the text, 0 if it does not stand there; the link is the
    address where it may be followed. They come in the order of the text.
    """
    last = len(numbers) + 1
    ordered = sorted(citations, key=lambda one: numbers.get(one.label, last))
    return [
        {
            **{_camel(name): own for name, own in plain_of(one).items()},
            "number": numbers.get(one.label, 0),
            "link": safe_address(one.url),
        }
        for one in ordered
    ]


def _camel(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)
