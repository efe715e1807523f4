"""Text of documents as data in a prompt: fenced by lines that the text cannot contain. Pure.

The lines carry a token that is made from the text itself, so no document can know it beforehand,
and the same prompt is the same bytes every time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from itertools import count

Source = tuple[str, str, str, str]
"""The label of a passage, its title, its address and its text."""

LONGEST = 4_000
_LONGEST_LINE = 300
_TOKEN = 12
_CUT = " …"

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Signs that count as letters or marks and show nothing."""

_MARKS = re.compile(r"<{3,}|>{3,}")
_SPECIAL = re.compile(
    r"<(?=[|\uff5c]|/?(?:s|bos|eos|pad|unk|think|tool_calls?|\w{1,20}_of_\w{1,20})>)"
    r"|(?<=[|\uff5c])>|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w{1,20})\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)
"""How models mark who speaks: a local server may take such signs in a text for its own."""


def fenced(label: str, title: str, url: str, text: str) -> str:
    """Return one passage as data."""
    return fenced_passages([(label, title, url, text)])


def fenced_passages(sources: Sequence[Source]) -> str:
    """Return passages as data, in their order, all fenced by the same token."""
    shown = [_shown(source) for source in sources]
    token = _token(shown)
    return "\n".join(
        f"<<<{token} passage {label}\n{body}\n<<<{token} end of {label}" for label, body in shown
    )


def fenced_text(name: str, text: str) -> str:
    """Return a text that is no passage, such as a question, as data."""
    shown = [(_line(name), seen(text))]
    return f"<<<{_token(shown)} {shown[0][0]}\n{shown[0][1]}\n<<<{_token(shown)} end"


def fenced_result(action: str, text: str) -> str:
    """Return what an action of a stranger returned as data."""
    return fenced_text(f"result of {action}", text)


def seen(text: str) -> str:
    """Return what a reader would see of a text, and no sign that a model could take for its own."""
    lines = (_line(line) for line in text.splitlines())
    return "\n".join(lines).strip()


def _shown(source: Source) -> tuple[str, str]:
    label, title, url, text = source
    head = [f"{name}: {_short(value)}" for name, value in (("title", title), ("url", url)) if value]
    body = seen(text[: LONGEST * 2])
    body = body if len(body) <= LONGEST else body[:LONGEST] + _CUT
    return _short(label), "\n".join([*head, body])


def _token(shown: Sequence[tuple[str, str]]) -> str:
    """Return a token that stands in none of the texts."""
    whole = "\n\0".join(part for pair in shown for part in pair)
    tokens = (sha256(f"{n}\0{whole}".encode()).hexdigest()[:_TOKEN] for n in count())
    return next(token for token in tokens if token not in whole)


def _short(text: str) -> str:
    line = " ".join(_line(text).split())
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + _CUT


def _line(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_sign, text))
    return _SPECIAL.sub(_apart, _MARKS.sub(lambda run: run[0][:2], text))


def _apart(sign: re.Match[str]) -> str:
    return f" {sign[0]}" if sign[0] == ">" else f"{sign[0]} "


def _sign(sign: str) -> str:
    if sign.isspace():
        return " "
    if sign in _BLANK or _is_selector(sign) or unicodedata.category(sign) in _UNSEEN:
        return ""
    return sign


def _is_selector(sign: str) -> bool:
    """Whether a sign only chooses how the one before it looks; a text can be hidden in these."""
    return "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"
