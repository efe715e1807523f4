"""Tags of HTML and MDX: which ``<…>`` is one, and what its reader sees. Knows no Markdown.

A placeholder (``<your-token>``), a type (``List<String>``), an address, a comparison: no tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sextant.text.markup.saying import HELD, names_in, naming_value, says_something, title_value

_INLINE = names_in(
    """
    a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q rp rt ruby s
    samp small span strike strong sub sup time tt u var wbr
    """
)
"""What stands in a line, so that no blank comes in its place."""

_STRUCTURE = names_in(
    """
    blockquote br center colgroup dd details div dl dt em fieldset figcaption figure h1 h2 h3
    h4 h5 h6 hr iframe kbd li noscript ol p pre span strong sub sup table tbody td tfoot th
    thead tr ul wbr
    """
)
"""Nobody calls a placeholder so: a tag even where it is bare and ends elsewhere."""

_KNOWN = (
    _INLINE
    | _STRUCTURE
    | names_in(
        """
    address area article aside audio base body button canvas caption col data datalist dialog
    embed footer form frame frameset g head header hgroup html img input label legend line
    link main map math menu meta meter nav object optgroup option output param path picture
    progress script section select slot source style summary svg template textarea title track
    video circle rect polygon polyline defs use
    """
    )
)
"""Elements of https://html.spec.whatwg.org/multipage/indices.html#elements-3, and of old pages."""

_FLAGS = names_in(
    """
    allowfullscreen async autoplay checked controls default defer disabled hidden inert loop
    multiple muted nomodule novalidate open readonly required reversed selected
    """
)
_BRACED = r"\{(?:[^{}<>]|\{[^{}<>]*+\})*+\}"
_ATTRIBUTE = (
    r"[A-Za-z_:@#][\w:.@-]*+"
    rf"(?:[ \t\n]*+=[ \t\n]*+(?:\"[^\"<]*+\"|'[^'<]*+'|{_BRACED}|[^\s\"'=<>`{{}}/]++))?+|{_BRACED}"
)
TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]{{0,60}}+)"
    rf"(?P<fields>(?:[ \t\n]++(?:{_ATTRIBUTE}))*+)[ \t\n]*+(?P<own>/?)>"
)
_FIELD = re.compile(
    r"(?P<name>[A-Za-z_:@#][\w:.@-]*+)"
    rf"(?:\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<braced>{_BRACED})"
    r"|(?P<bare>[^\s\"'=<>`{}/]++)))?+"
)
_UNSHOWN = re.compile(r"<(?P<name>script|style)\b[^<>]*+>", re.IGNORECASE)
_UNSHOWN_END = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("script", "style")}
_WRITTEN = re.compile(r"<(?P<name>code|kbd|samp|tt)>(?P<code>[^<>`\n]{1,300}+)</(?P=name)>")
_ENDED_BELOW = re.compile(r"<[A-Za-z][^<>]{0,2000}+>(?=[ \t]*+(?:\n|\Z))")
_LAST_BREAK = re.compile(r"\n[ \t]*+(?=/?>\Z)")
_DOTTED = "."


def without_tags(text: str) -> str:
    """Return text with what a reader sees of its tags: names of components, words of images."""
    if "<" not in text:
        return text
    text = _without(_without_unshown(text), "<!--", "-->")
    return TAG.sub(_Tags(text).shown, text)


def without_remarks(text: str) -> str:
    """Return MDX without the remarks of its writers."""
    return _without(text, "{/*", "*/}")


def written_code(text: str) -> str:
    """Return text with code in tags between back-ticks."""
    return _WRITTEN.sub(lambda one: f"`{one['code']}`", text) if "<" in text else text


def tags_in_one_line(text: str) -> str:
    """Return text with the ends of tags that stand in lines of their own before those."""
    if "<" not in text or "\n" not in text:
        return text
    return _ENDED_BELOW.sub(lambda tag: _LAST_BREAK.sub("", tag[0]), text)


def fields_of(tag: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values in the attributes of an element."""
    for found in _FIELD.finditer(tag):
        braced = (found["braced"] or "")[1:-1].strip()
        is_text = len(braced) > 1 and braced[0] == braced[-1] and braced[0] in "\"'`"
        value = found["double"] or found["single"] or found["bare"]
        held = braced if braced.startswith(HELD) else ""
        yield found["name"], value or (braced[1:-1] if is_text else held)


class _Tags:
    """The tags of a text, as far as one is known by another."""

    __slots__ = ("_closed", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._closed = {one["name"] for one in TAG.finditer(text) if one["close"]}

    def shown(self, tag: re.Match[str]) -> str:
        """Return what is seen of a tag, and of what is none, all."""
        if not self._is_tag(tag):
            return tag[0]
        name = tag["name"]
        fields = list(fields_of(tag["fields"])) if tag["fields"] else []
        if name.lower() in _KNOWN and not name[0].isupper():
            return _of_element(name.lower(), fields)
        if tag["close"] or not fields:
            return " "
        is_empty = tag["own"] or name not in self._closed
        value = naming_value(fields) if is_empty else title_value(fields)
        if not value:
            return " "
        goes_on = not tag["own"] and self._text[tag.end() :].strip()
        return f" {value}: " if goes_on else f" {value} "

    def _is_tag(self, tag: re.Match[str]) -> bool:
        name, is_component = tag["name"], is_component_name(tag["name"])
        is_known = name.lower() in _KNOWN and (name.islower() or name.isupper())
        if tag["close"]:
            return is_known or is_component
        if tag["fields"]:
            return _are_attributes(tag["fields"])
        if is_known and (tag["own"] or name.lower() in _STRUCTURE or name in self._closed):
            return True
        return is_component and (bool(tag["own"]) or name in self._closed or self._is_alone())

    def _is_alone(self) -> bool:
        return not TAG.sub("", self._text).strip()


def is_component_name(name: str) -> bool:
    """Whether a name is written like a component of MDX: ``Tabs``, ``Tabs.Tab``"""
    return name[0].isupper() and (not name.isupper() or _DOTTED in name)


def _are_attributes(fields: str) -> bool:
    """Whether words behind a name are attributes: one of them has a value, or all are flags."""
    return "=" in fields or "{" in fields or all(one in _FLAGS for one in fields.lower().split())


def _of_element(name: str, fields: list[tuple[str, str]]) -> str:
    if name == "img":
        alt = next((value for field, value in fields if field.lower() == "alt"), "")
        return alt if says_something(alt) else ""
    return "" if name in _INLINE else " "


def _without_unshown(text: str) -> str:
    """Return text without scripts and styles, which are closed."""
    at, kept = 0, []
    while opened := _UNSHOWN.search(text, at):
        closed = _UNSHOWN_END[opened["name"].lower()].search(text, opened.end())
        if closed is None:
            break
        kept.append(text[at : opened.start()])
        at = closed.end()
    return "".join([*kept, text[at:]]) if kept else text


def _without(text: str, opening: str, closing: str) -> str:
    """Return text with a blank for all that stands between two marks."""
    at, kept = 0, []
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    return " ".join([*kept, text[at:]]) if kept else text
