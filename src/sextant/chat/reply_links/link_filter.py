"""A reply as it comes, without links that are not allowed; text and code stay as they are.

Markdown's links, images and definitions, autolinks, tags of HTML, and bare addresses that clients
make links of. Only what may be one of these is held back, up to its end. However a reply is cut
into pieces, the same comes of it.
"""

from __future__ import annotations

import re
from html import unescape

from sextant.chat.reply_links import signs
from sextant.chat.reply_links.bare_addresses import AROUND, cut_address
from sextant.chat.reply_links.code_fences import CodeFences, Step
from sextant.chat.reply_links.html_blocks import HtmlBlocks
from sextant.chat.reply_links.inline_code import InlineCode
from sextant.chat.reply_links.lines import ReplyLines
from sextant.chat.reply_links.targets import (
    TAG,
    TAG_BEGUN,
    Allows,
    destination_of,
    is_absolute,
    is_harmless_tag,
)

REMOVED = "[link removed]"
_NO_TAG = "< "
"""No reader takes it for a tag; without its sign, one that began before it could end behind it."""


class LinkFilter:
    """One message on its way. `allows` says which addresses may stand in it."""

    __slots__ = (
        *("_allows", "_before", "_defines", "_fences", "_held", "_html", "_inline"),
        *("_is_final", "_lines", "_shows_image"),
    )

    def __init__(self, allows: Allows) -> None:
        self._allows = allows
        self._lines = ReplyLines()
        self._fences = CodeFences(self._lines)
        self._html = HtmlBlocks(self._lines)
        self._inline = InlineCode(self._lines)
        self._before = self._held = ""
        self._shows_image = self._defines = self._is_final = False

    def feed(self, text: str) -> str:
        """Return what can be told of the message so far."""
        if self._held or self._fences.marks or not signs.is_plain(text):
            return self._scan(text)
        self._before = text[-1:] or self._before
        return self._lines.add(text)

    def end(self) -> str:
        """Return what is left, as the message is over."""
        self._is_final = True
        return self._scan("")

    def _scan(self, more: str) -> str:
        told: list[str] = []
        text, at = self._before + self._held + more, len(self._before)
        while at < len(text):
            if self._fences.marks:
                step = self._fences.take_line(text, at, is_final=self._is_final)
            else:
                sign = signs.SIGN.search(text, at)
                end = sign.start() if sign else self._certain_end(text, at)
                told.append(self._lines.add(text[at:end]))
                at = end
                if sign is None:
                    break
                step = self._deal_with(text, sign)
            if step is None:
                break
            told.append(self._lines.add(step[0]))
            at = step[1]
        self._before, self._held = text[max(0, at - 1) : at], text[at:]
        return "".join(told)

    def _certain_end(self, text: str, at: int) -> int:
        begun = None if self._is_final else signs.SIGN_BEGUN.search(text, at)
        return begun.start() if begun else len(text)

    def _waits(self, text: str, start: int, end: int) -> bool:
        """Whether what goes from here to there may go on in the next piece."""
        return end == len(text) and not self._is_final and end - start < signs.LONGEST

    def _waits_for(self, begun: re.Pattern[str], text: str, start: int) -> bool:
        return self._waits(text, start, len(text)) and bool(begun.match(text, start))

    def _deal_with(self, text: str, sign: re.Match[str]) -> Step:
        match sign.lastgroup:
            case "address" | "other":
                return self._address(text, sign)
            case "link":
                return self._link(text, sign.start())
            case "opening":
                return self._opening(text, sign.start())
            case "definition":
                return self._definition(text, sign.start())
            case "image":
                return self._image(text, sign.start())
            case "tag":
                return self._tag(text, sign.start())
            case "label":
                return self._label(text, sign.start())
            case "reference":
                return self._reference(text, sign.start())
        return self._code(text, sign)

    def _code(self, text: str, marks: re.Match[str]) -> Step:
        """Deal with marks of code: those of a fence, else those of code within a line."""
        if self._waits(text, marks.start(), marks.end()):
            return None
        if self._fences.may_open(marks[0]):
            self._fences.is_trusted = self._fences.is_trusted and not self._html.is_open
            return self._fences.open(text, marks, is_final=self._is_final)
        if marks[0][0] == "~" or not self._fences.is_trusted or self._html.is_open:
            return marks[0], marks.end()
        end = self._inline.find_end(text, marks, is_final=self._is_final)
        return None if end is None else (text[marks.start() : end], end)

    def _address(self, text: str, sign: re.Match[str]) -> Step:
        """Deal with an address in the text: all that a client may take for a part of it counts."""
        start = sign.start()
        limit = _limit(text, start)
        found = signs.ADDRESS_END.search(text, sign.end(), limit)
        end = found.start() if found else limit
        if self._waits(text, start, end):
            return None
        whole = text[start:end]
        if whole == sign[0]:
            return whole, end
        shown, mark, behind = whole.partition("](")
        address = cut_address(shown, len(sign[0]))
        is_clear = (
            sign.lastgroup == "address" and "\\" not in address and len(whole) < signs.LONGEST
        )
        bare = shown if mark else shown.rstrip(AROUND)
        if is_clear and "\\" not in shown and self._may(bare):
            is_glued = mark and behind.rstrip(AROUND) != shown
            return self._kept_address(text, sign, shown, is_glued=bool(is_glued))
        if is_clear and self._may(address):
            return self._kept_address(text, sign, address, is_glued=True)
        removed = REMOVED if len(whole) < signs.LONGEST else f"{REMOVED} "
        return self._followed(removed, text, start + len(address))

    def _kept_address(
        self, text: str, sign: re.Match[str], address: str, *, is_glued: bool
    ) -> Step:
        """Return an address, apart from what some clients would take for more of it."""
        start, end = sign.start(), sign.start() + len(address)
        inner = signs.SIGN.search(text, sign.end(), end)
        if inner and inner.lastgroup != "code" and self._may(text[start : inner.start()]):
            return text[start : inner.start()], inner.start()  # who ends it there goes on there
        if "`" in address:
            self._inline.doubt()
        # Who does not see where a link begins takes its text and its destination for one address.
        return (f"{address} " if is_glued else address), end

    def _followed(self, told: str, text: str, end: int) -> Step:
        """Return what stands for a link, apart from what would make another link of it."""
        if self._waits(text, end, end):
            return None
        is_within = told == REMOVED and not signs.LINE_MARKS.match(self._lines.head)
        is_joined = text[end : end + 1] in (("(", "[") if is_within else ("(", "[", ":"))
        return (f"{told} " if is_joined else told), end

    def _may(self, written: str, *, is_loaded: bool = False) -> bool:
        return self._allows(destination_of(written), is_loaded)

    def _may_lead(self, written: str, *, is_loaded: bool) -> bool:
        """Whether a link may lead there; one with a second address in it could be read as two."""
        found = [one.lastgroup for one in signs.SIGN.finditer(written)]
        count = len([own for own in found if own not in ("reference", "opening")])
        return count <= 1 and self._may(written, is_loaded=is_loaded)

    def _link(self, text: str, start: int) -> Step:
        opened, limit = start + len("]("), _limit(text, start)
        found = signs.DESTINATION.match(text, opened, limit)
        if found is None:  # `<` that is not closed yet, or on this line
            return None if self._waits(text, start, len(text)) else ("] (", opened)
        written, end = found["at"], found.end("at")
        if self._waits(text, start, end):
            return None
        if "`" in written or text[end : end + 1] != ")":
            self._inline.doubt()  # marks of code in a destination or a title are none
        if not is_absolute(destination_of(written)):
            return text[start:opened], opened
        is_short = end - start < signs.LONGEST
        if is_short and self._may_lead(written, is_loaded=self._shows_image):
            return self._kept_link(text, start, found)
        if behind := signs.BEHIND.match(text, end, limit):
            return self._followed("]", text, behind.end())
        if self._waits(text, start, limit) and signs.BEHIND_BEGUN.match(text, end):
            return None
        return "] (", opened

    def _opening(self, text: str, start: int) -> Step:
        """Deal with a bracket: of a link that goes, its text is told alone where that is safe."""
        shown = signs.SHOWN.match(text, start, _limit(text, start))
        if shown is None:
            return None if self._waits_for(signs.SHOWN_BEGUN, text, start) else ("[", start + 1)
        step = self._link(text, shown.end() - len("]("))
        if step is None:
            return None
        behind = signs.SHOWN_END.match(text, step[1])
        is_alone = step[0] == "]" and behind
        if is_alone and behind and behind["end"] is not None and not self._is_final:
            return None
        told = self._alone(shown)
        return (told, step[1]) if is_alone and told else ("[", start + 1)

    def _alone(self, shown: re.Match[str]) -> str:
        """Return the text of a link as it stands without it, or nothing if that may be a link."""
        if not (self._lines.last.isspace() or not self._lines.last):
            return ""
        if shown["address"]:
            return "" if self._may(shown["address"]) else REMOVED
        return "" if signs.SIGN.search(shown["words"]) else shown["words"]

    def _kept_link(self, text: str, start: int, found: re.Match[str]) -> Step:
        """Return a link as it is, or in `<>` where a client could take more for its address."""
        end = after = found.end("at")
        while after < _limit(text, end) and text[after] in AROUND:
            after += 1
        if self._waits(text, end, after):
            return None
        goes_on = after < len(text) and not signs.ADDRESS_END.match(text, after)
        if goes_on and not found["at"].startswith("<"):
            return f"{text[start : found.start('at')]}<{found['at']}>", end
        return text[start:end], end

    def _definition(self, text: str, start: int) -> Step:
        opened = start + len("]:")
        found = signs.DEFINED.match(text, opened, _limit(text, start))
        if found is None:
            return None if self._waits(text, start, len(text)) else ("] :", opened)
        if self._waits(text, start, found.end()):
            return None
        written = found["at"] if found["at"].startswith("<") else found["at"].rstrip(AROUND)
        if not is_absolute(destination_of(written)):
            return text[start:opened], opened
        is_short = found.end() - start < signs.LONGEST
        if is_short and self._may(written, is_loaded=self._shows_image):
            self._defines = True
            return text[start : found.start("at")], found.start("at")
        return f"]: {REMOVED}", found.start("at") + len(written)

    def _image(self, text: str, start: int) -> Step:
        """Deal with the sign of an image: one that may not be loaded is a link, or its text."""
        simple = signs.ALT.match(text, start)
        if simple is None:
            if self._waits_for(signs.ALT_BEGUN, text, start):
                return None
            self._shows_image = self._shows_image or not self._defines
            return ("\\!" if self._defines else "!"), start + 1
        limit = _limit(text, start)
        found = signs.DESTINATION.match(text, simple.end(), limit)
        end = found.end("at") if found else limit
        if self._waits(text, start, end):
            return None
        written = found["at"] if found else ""
        is_known = not is_absolute(destination_of(written)) or self._may_lead(
            written, is_loaded=True
        )
        return ("!" if is_known and end - start < signs.LONGEST else ""), start + 1

    def _label(self, text: str, start: int) -> Step:
        """Deal with the label of a reference: one with marks of code in it is read before those."""
        if self._waits_for(signs.LABEL_BEGUN, text, start):
            return None
        if not signs.LABEL.match(text, start):
            self._inline.doubt()
        return "]", start + 1

    def _tag(self, text: str, start: int) -> Step:
        limit = _limit(text, start)
        if link := signs.AUTOLINK.match(text, start, limit):
            if "`" not in link[0] and self._may(link[1]):
                return link[0], link.end()
            if link[1].replace("::", "").isidentifier():
                return _NO_TAG, start + 1  # a name of C++, which without the space is a link
            return self._followed(self._apart(REMOVED), text, link.end())
        for begun in (signs.AUTOLINK_BEGUN, TAG_BEGUN, signs.CLOSING_TAG_BEGUN):
            if self._waits_for(begun, text, start):
                return None
        self._html.see_tag(text, start)
        if tag := TAG.match(text, start, limit):
            is_harmless = "`" not in tag[0] and is_harmless_tag(tag, self._allows)
            return (tag[0], tag.end()) if is_harmless else (_NO_TAG, start + 1)
        if not text[start + 1].isalpha() and not signs.CLOSING_TAG.match(text, start, limit):
            self._inline.doubt()  # a comment, or the like, may have marks of code in it
        return ("<" if self._html.keeps(text, start, limit) else _NO_TAG), start + 1

    def _apart(self, told: str) -> str:
        """Return what stands for a sign that ended an address, so that it still does."""
        return told if self._lines.last.isspace() or not self._lines.last else f" {told}"

    def _reference(self, text: str, start: int) -> Step:
        """Deal with a sign that is written by its name: clients look for addresses behind it."""
        if self._waits_for(signs.REFERENCE_BEGUN, text, start):
            return None
        found = signs.REFERENCE.match(text, start)
        meant = unescape(found[0]) if found else ""
        is_of_address = meant.isascii() and (meant.isalnum() or meant in (":", "/", "."))
        return ("&amp;" if is_of_address else "&"), start + 1


def _limit(text: str, start: int) -> int:
    """Return up to where what begins here is looked at, however much of the text is there."""
    return min(len(text), start + signs.LONGEST)
