"""Running text of reStructuredText as Markdown: roles and links as their words, code as code."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"``(?=\S)(?P<code>[^`\n]*(?:`[^`\n]+)*?(?<=\S))``")
_ROLE = re.compile(
    r":(?P<role>[a-zA-Z][\w:+.-]{0,40}):`(?P<said>[^`<]*?)(?:\s*<(?P<target>[^`<>]*)>)?`"
)
_LINK = re.compile(r"`(?P<said>[^`<]+?)\s*(?:<[^`<>]*>)?`__?(?!\w)")
_OPENING = re.compile(r"::(?=\s*$)")
_WORDED = frozenset(
    {"ref", "doc", "term", "abbr", "numref", "guilabel", "menuselection", "sup", "sub"}
)
"""Roles whose words are read as such; all others name code."""


def with_versions(text: str) -> str:
    """Return text with what its directives say of versions, and where else to look, in words."""
    return _TOLD.sub(lambda found: f"{_WORDS[found['name']]} {found['said']}", text)


_WORDS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "seealso": "See also:",
}
_TOLD = re.compile(
    rf"^[ \t]*\.\. (?P<name>{'|'.join(_WORDS)})::[ \t]*(?P<said>[^\n]*)", re.MULTILINE
)


def without_roles(text: str) -> str:
    """Return running text without the marks of reStructuredText."""
    if "`" in text:
        text = _ROLE.sub(_worded, _LITERAL.sub(r"`\g<code>`", text))
        text = _LINK.sub(r"\g<said>", text)
    return _OPENING.sub(":", text)


def _worded(found: re.Match[str]) -> str:
    said = found["said"] or found["target"] or ""
    if said.startswith("~"):
        said = said.rpartition(".")[2].lstrip("~")
    said = said.lstrip("!.")
    role = found["role"].rpartition(":")[2]
    return said if role in _WORDED or not said else f"`{said}`"
