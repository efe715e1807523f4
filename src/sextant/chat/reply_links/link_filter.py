"""A reply as it comes, without links that are not allowed; text and code stay as they are.

Markdown's links, images and definitions, autolinks, tags of HTML, and bare addresses that clients
make links of. Only what may be one of these is held back, up to its end. However a reply is cut
into pieces, the same comes of it.
"""

from __future__ import annotations

import re
from html import unescape

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.bare_addresses import BareAddresses
from sextant.chat.reply_links.code_fences import CodeFences
from sextant.chat.reply_links.html_blocks import HtmlBlocks
from sextant.chat.reply_links.markdown_links import MarkdownLinks
from sextant.chat.reply_links.reply_state import REMOVED, ReplyState, Step, limit_of
from sextant.chat.reply_links.targets import TAG, TAG_BEGUN, Allows, is_harmless_tag

_NO_TAG = "< "
"""No reader takes it for a tag; without its sign, one that began before it could end behind it."""


class LinkFilter:
    """One message on its way. `allows` says which addresses may stand in it."""

    __slots__ = ("_addresses", "_before", "_fences", "_held", "_html", "_links", "_state")

    def __init__(self, allows: Allows) -> None:
        self._state = state = ReplyState(allows)
        self._addresses, self._links = BareAddresses(state), MarkdownLinks(state)
        self._fences, self._html = CodeFences(state.lines), HtmlBlocks(state.lines)
        self._before = self._held = ""

    def feed(self, text: str) -> str:
        """Return what can be told of the message so far."""
        if self._held or self._fences.marks or not signs.is_plain(text):
            return self._scan(text)
        self._before = text[-1:] or self._before
        return self._state.lines.add(text)

    def end(self) -> str:
        """Return what is left, as the message is over."""
        self._state.is_final = True
        return self._scan("")

    def _scan(self, more: str) -> str:
        told: list[str] = []
        text, at = self._before + self._held + more, len(self._before)
        while at < len(text):
            if self._fences.marks:
                step = self._fences.take_line(text, at, is_final=self._state.is_final)
            else:
                sign = signs.SIGN.search(text, at)
                end = sign.start() if sign else self._certain_end(text, at)
                told.append(self._state.lines.add(text[at:end]))
                at = end
                if sign is None:
                    break
                step = self._deal_with(text, sign)
            if step is None:
                break
            told.append(self._state.lines.add(step[0]))
            at = step[1]
        self._before, self._held = text[max(0, at - 1) : at], text[at:]
        return "".join(told)

    def _certain_end(self, text: str, at: int) -> int:
        begun = None if self._state.is_final else signs.SIGN_BEGUN.search(text, at)
        return begun.start() if begun else len(text)

    def _deal_with(self, text: str, sign: re.Match[str]) -> Step:
        match sign.lastgroup:
            case "address" | "other":
                return self._addresses.take(text, sign)
            case "link":
                return self._links.take_destination(text, sign.start())
            case "opening":
                return self._links.take_opening(text, sign.start())
            case "definition":
                return self._links.take_definition(text, sign.start())
            case "image":
                return self._links.take_image(text, sign.start())
            case "label":
                return self._links.take_label(text, sign.start())
            case "tag":
                return self._tag(text, sign.start())
            case "reference":
                return self._reference(text, sign.start())
        return self._code(text, sign)

    def _code(self, text: str, marks: re.Match[str]) -> Step:
        """Deal with marks of code: those of a fence, else those of code within a line."""
        if self._state.waits(text, marks.start(), marks.end()):
            return None
        if self._fences.may_open(marks[0]):
            self._fences.is_trusted = self._fences.is_trusted and not self._html.is_open
            return self._fences.open(text, marks, is_final=self._state.is_final)
        if marks[0][0] == "~" or not self._fences.is_trusted or self._html.is_open:
            return marks[0], marks.end()
        end = self._state.inline.find_end(text, marks, is_final=self._state.is_final)
        return None if end is None else (text[marks.start() : end], end)

    def _tag(self, text: str, start: int) -> Step:
        limit = limit_of(text, start)
        if link := signs.AUTOLINK.match(text, start, limit):
            if "`" not in link[0] and self._state.may_show(link[1]):
                return link[0], link.end()
            if link[1].replace("::", "").isidentifier():
                return _NO_TAG, start + 1  # a name of C++, which without the space is a link
            # The sign ended an address before it, if any, and so has to what stands for it.
            removed = REMOVED if self._state.is_behind_gap else f" {REMOVED}"
            return self._state.follow(removed, text, link.end())
        for begun in (signs.AUTOLINK_BEGUN, TAG_BEGUN, signs.CLOSING_TAG_BEGUN):
            if self._state.waits_for(begun, text, start):
                return None
        self._html.see_tag(text, start)
        if tag := TAG.match(text, start, limit):
            is_harmless = "`" not in tag[0] and is_harmless_tag(tag, self._state.allows)
            return (tag[0], tag.end()) if is_harmless else (_NO_TAG, start + 1)
        if not text[start + 1].isalpha() and not signs.CLOSING_TAG.match(text, start, limit):
            self._state.inline.doubt()  # a comment, or the like, may have marks of code in it
        return ("<" if self._html.keeps(text, start, limit) else _NO_TAG), start + 1

    def _reference(self, text: str, start: int) -> Step:
        """Deal with a sign that is written by its name: clients look for addresses behind it."""
        if self._state.waits_for(signs.REFERENCE_BEGUN, text, start):
            return None
        found = signs.REFERENCE.match(text, start)
        meant = unescape(found[0]) if found else ""
        is_of_address = meant.isascii() and (meant.isalnum() or meant in (":", "/", "."))
        return ("&amp;" if is_of_address else "&"), start + 1
