"""What a link, an image or an address begins with in a reply, and how each goes on. Patterns only.

A pattern that ends in `_BEGUN` fits what may become the whole one with the next piece.
"""

from __future__ import annotations

import re

LONGEST = 2_000
"""Characters that are held back of one link, image or tag; a longer one is not allowed."""
_LONGEST_ALT = 200  # characters of an image's text, for which its sign is held back

_SCHEMES = (
    *("https", "http", "ftp", "ftps", "sftp", "file", "ssh", "git", "ws", "wss", "s3", "gs"),
    *("postgres", "postgresql", "mysql", "mongodb", "redis", "rediss", "amqp", "amqps", "mqtt"),
)
"""Schemes that go with their address; of another one, the word before the colon is left."""
_SCHEME = "|".join(sorted(_SCHEMES, key=len, reverse=True))
_WORDS = sorted({own[:end] for own in (*_SCHEMES, "www") for end in range(1, len(own) + 1)})
_BEGUN_WORD = rf"(?<![A-Za-z0-9])(?:{'|'.join(reversed(_WORDS))})"
SIGN = re.compile(
    rf"(?P<address>(?<![A-Za-z0-9])(?:(?:{_SCHEME})\\?:\\?/\\?/|www\\?\.))"
    r"|(?P<other>\\?:\\?/\\?/)|(?P<link>\]\()|(?P<definition>\]:)|(?P<label>\]\[)|(?P<image>!\[)"
    r"|(?P<tag><(?=[A-Za-z/!?]))|(?P<reference>&)|(?P<code>`+|~{3,})|(?P<opening>\[)",
    re.IGNORECASE | re.ASCII,
)
SIGN_BEGUN = re.compile(
    rf"(?:{_BEGUN_WORD}\\?|(?:(?<![A-Za-z0-9])(?:{_SCHEME}))?\\?:(?:\\?/?)\\?|\\|[\]!<]|~{{1,2}})\Z",
    re.IGNORECASE | re.ASCII,
)
_TELLING = frozenset("[]<&:`~\\!\r\n")
_WORD_BEGUN = re.compile(rf"{_BEGUN_WORD}\Z", re.IGNORECASE | re.ASCII)
_LAST_OF_WORD = frozenset("".join((*_WORDS, *map(str.upper, _WORDS))))

ADDRESS_END = re.compile(r"[\s<]")
DESTINATION = re.compile(
    r"\s*(?P<at><[^<>\r\n]*>|(?!<)(?:[^\s()<>\\]|\\.|\((?:[^\s()<>\\]|\\.)*\))*)", re.DOTALL
)
BEHIND = re.compile(r"\s*(?:(?:\"[^\"]*\"|'[^']*'|\([^()]*\))\s*)?\)")
BEHIND_BEGUN = re.compile(r"\s*(?:\"[^\"]*\"?|'[^']*'?|\([^()]*\)?)?\s*\Z")
DEFINED = re.compile(r"\s*(?P<at><[^<>\r\n]*>|(?!<)[^\s<]*)")
ALT = re.compile(rf"!\[[^\[\]\r\n]{{0,{_LONGEST_ALT}}}\]\(")
ALT_BEGUN = re.compile(rf"!\[[^\[\]\r\n]{{0,{_LONGEST_ALT}}}\]?\Z")
SHOWN = re.compile(
    r"\[(?:(?P<address>(?:https?://|www\.)[^\s\[\]()<>`\\\"']+)"
    rf"|(?P<words>[^\W\d_][^\[\]\r\n`<>\\&!:|]{{0,{_LONGEST_ALT}}}))\]\("
)
"""The text of a link that can stand alone: it begins no block, and no link comes of it."""
SHOWN_BEGUN = re.compile(rf"\[(?:[^\W\d_][^\[\]\r\n`<>\\]{{0,{LONGEST}}}\]?)?\Z")
SHOWN_END = re.compile(r"[.,;!?)*\"']{0,3}(?=\s|(?P<end>\Z))")
"""What may stand behind it, up to a space: more could be taken for one address with it."""
CLOSING_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9-]*\s*>")
CLOSING_TAG_BEGUN = re.compile(r"</(?:[A-Za-z][A-Za-z0-9-]*\s*)?\Z")
LABEL = re.compile(rf"\]\[[^\[\]`\r\n]{{0,{_LONGEST_ALT}}}\]")
LABEL_BEGUN = re.compile(rf"\]\[[^\[\]`\r\n]{{0,{_LONGEST_ALT}}}\Z")
AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
AUTOLINK_BEGUN = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\s<>]*)?\Z")
REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
REFERENCE_BEGUN = re.compile(
    r"&(?:#(?:[0-9]{0,7}|[xX][0-9A-Fa-f]{0,6})|[A-Za-z][A-Za-z0-9]{0,31})?\Z"
)
"""A sign of a text by its number or its name, such as `&colon;`."""

_LONGEST_FENCE = 200  # characters behind the marks that open code: a language and its options
FENCE = re.compile(
    rf"(?P<marks>`{{3,}}(?=[^`\r\n]{{0,{_LONGEST_FENCE}}}[\r\n])|~{{3,}})"
    rf"[^\r\n]{{0,{_LONGEST_FENCE}}}[\r\n]"
)
FENCE_BEGUN = re.compile(
    rf"(?:`{{3,}}[^`\r\n]{{0,{_LONGEST_FENCE}}}|~{{3,}}[^\r\n]{{0,{_LONGEST_FENCE}}})\Z"
)
LINE_MARKS = re.compile(r"[\s>*+\-0-9.)]*\Z")
"""What may stand on a line before a block begins in a list or a quotation."""
LINE = re.compile(r"[^\r\n]*(?P<end>[\r\n])?")


def is_plain(text: str) -> bool:
    """Whether a piece has no sign, no beginning of one and no line break, as most have."""
    return (
        _TELLING.isdisjoint(text)
        and "www" not in text.lower()
        and not (text[-1:] in _LAST_OF_WORD and _WORD_BEGUN.search(text))
    )
