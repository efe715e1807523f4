"""Notes set apart from a page, as its format writes them: what they are called. Knows no words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sextant.text.markdown import MARKED
from sextant.text.markup.saying import names_in, title_value
from sextant.text.markup.shortcodes import CALL, call_fields, call_name
from sextant.text.markup.tags import TAG, fields_of

_NOTE = re.compile(
    r"[> \t]*(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<note>[\w-]+)(?:[ \t]+\"(?P<title>[^\"\n]*)\")?"
    r"|\[!(?P<alert>\w+)\][+-]?"
    r"|:::+[ \t]*(?P<aside>[\w-]*)(?:\[(?P<named>[^\]\n]*)\]|[ \t]+(?P<called>[^\s{][^\n{]*))?"
    r"(?:\{[^{}\n]*\})?"
    r"|\.\.[ \t]+(?P<directive>attention|caution|danger|hint|important|note|tip|warning)::)"
    r"[ \t]*(?:\n|$)?"
)
_SORTS = names_in(
    """
    admonition alert aside attention callout caution danger error hint important info note
    notice tip warning
    """
)
"""Components and shortcodes that set a note apart, in Mintlify, Docusaurus, Docsy and GitBook."""

_UNSORTED = frozenset({"admonition", "alert", "aside", "callout", "hint", "notice"})
_SORTING = frozenset({"type", "style", "kind", "variant", "intent", "color"})
_BLANKS = re.compile(r"[> \t]*")


def noted(text: str, kind: str) -> tuple[str, int] | None:
    """Return what the note at the start of a text is called and where it begins, if it is one."""
    if found := _NOTE.match(text):
        name = found["title"] or found["named"] or found["called"]
        return (name or _sort_of(next(filter(None, found.groups()), ""))).strip(), found.end()
    if kind not in MARKED:
        return None
    start = _BLANKS.match(text)
    at = start.end() if start else 0
    tag, call = TAG.match(text, at), CALL.match(text, at)
    if tag and not tag["close"] and not tag["own"] and tag["name"][0].isupper():
        return _of_markup(tag["name"].lower(), list(fields_of(tag["fields"])), tag.end())
    return _of_markup(call_name(call), list(call_fields(call)), call.end()) if call else None


def is_bare_note(text: str, kind: str) -> bool:
    """Whether a text opens a note, and nothing of what the note says."""
    found = noted(text, kind)
    return found is not None and bool(found[0]) and not text[found[1] :].strip("> \t\n")


def _of_markup(sort: str, fields: Iterable[tuple[str, str]], end: int) -> tuple[str, int] | None:
    if sort not in _SORTS:
        return None
    fields = list(fields)
    if title := title_value(fields):
        return title, end
    if sort in _UNSORTED:
        sort = next((value for name, value in fields if name.lower() in _SORTING), "note")
        sort = sort if sort.lower() in _SORTS else "note"
    bare = [value for name, value in fields if not name and " " in value]
    return (bare[0] if bare else _sort_of(sort)), end


def _sort_of(name: str) -> str:
    return name.capitalize()
