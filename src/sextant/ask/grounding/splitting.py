"""From Markdown that is still coming to sentences, items, rows and headings, as they complete.

What comes out is the same wherever the text was cut on its way. Knows no source and no truth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from sextant.text.prose.sentences import sentence_spans

_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|(\d{1,3})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*[-=*_|:+ \t]{3,}$")
_DEFINED = re.compile(r"[ \t]{0,3}\[[^\]]*\]:")
_QUOTED = re.compile(r"[ \t]*>[ \t]?")
_PLAIN = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=[^\s\[])|\*\*(?=\w)|(?=[^\W\d_]))")
"""How a line begins that is sure to be prose or an item."""

_BRACKET = re.compile(r"(?:\[[^\[\]]{1,200}\])+")
_CODE = re.compile(r"(`+)(?!`)[^`]{1,500}(?<!`)\1(?!`)")
_OPEN_BRACKET = re.compile(r"\[[^\[\]]{0,200}\Z")
_OPEN_CODE = re.compile(r"`+[^`]{0,500}`*\Z")
_NEXT = re.compile(r"\s*(?:\]+\s*|\[_*\]\s*)*[^\s\]\[]\S*\s")
_CITING = re.compile(r"(?:\s*\[_*\])+")
_ENDED = (".", "!", "?", ":", "]", "…", "。", "！", "？")  # noqa: RUF001 - stops of other scripts


_LONGEST = 4_000
"""So many characters are a line at most."""


class Kind(StrEnum):
    """What a piece of Markdown is."""

    SENTENCE = "sentence"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Saying:
    """A piece of prose as it was written: what it is, what stands before it, and whether apart."""

    kind: Kind
    text: str
    lead: str = ""
    is_apart: bool = False


class Splitter:
    """Takes Markdown in pieces and gives back what is complete."""

    def __init__(self) -> None:
        self._head: str | None = ""
        self._open = ""
        self._kind = Kind.SENTENCE
        self._lead = ""
        self._apart = False
        self._fenced = False
        self._heads: list[str] = []
        self._done: list[Saying] = []

    def feed(self, text: str) -> list[Saying]:
        """Take the next piece of text."""
        lines = text.replace("\r", "").split("\n")
        for at, line in enumerate(lines):
            self._let_in(line)
            if at < len(lines) - 1:
                self._end_line()
        self._take()
        return self._given()

    def end(self) -> list[Saying]:
        """Say that nothing more comes."""
        self._end_line()
        self._flush()
        return self._given()

    def _given(self) -> list[Saying]:
        done, self._done = self._done, []
        return done

    def _let_in(self, text: str) -> None:
        """Let the line grow, but end one that nobody reads."""
        while len(text) > (room := _LONGEST - len(self._head or self._open)):
            self._grow(text[: max(0, room)])
            text = text[max(0, room) :]
            self._end_line()
            self._flush()
        self._grow(text)

    def _grow(self, text: str) -> None:
        """Let the line grow; what it is, is decided once it has begun."""
        if self._head is None:
            self._open += text
            return
        self._head += text
        if not self._fenced and _PLAIN.match(self._head):
            head, self._head = self._head, None
            self._begin(head)

    def _begin(self, line: str) -> None:
        """Begin an item or a paragraph, or go on with the one that is open."""
        item = _ITEM.match(line)
        if item:
            self._flush()
            indent = "  " * min(2, len(item[1].expandtabs(4)) // 2)
            self._kind = Kind.ITEM
            self._lead = f"{indent}{item[2]}. " if item[2] else f"{indent}- "
            self._open = line[item.end() :]
        else:
            self._open += (" " if self._open else "") + line.lstrip()

    def _end_line(self) -> None:
        head, self._head = self._head, ""
        if head is not None:
            self._whole_line(head)
        elif self._open.rstrip().endswith(_ENDED):
            self._flush()

    def _whole_line(self, line: str) -> None:
        """Take a line that could only be understood at its end."""
        if self._fenced or _FENCE.match(line):
            self._coded(line)
            return
        line = _QUOTED.sub("", line)
        if not _ROW.match(line):
            self._heads = []
        if not line.strip():
            self._flush()
            self._kind, self._lead, self._apart = Kind.SENTENCE, "", True
        elif _DEFINED.match(line) or _RULE.match(line):
            self._flush()
        elif heading := _HEADING.match(line):
            self._flush()
            self._put(Kind.HEADING, heading[1], "## ", apart=True)
            self._apart = True
        elif _ROW.match(line):
            self._flush()
            self._row(line)
        else:
            self._begin(line)
            if self._open.rstrip().endswith(_ENDED):
                self._flush()

    def _coded(self, line: str) -> None:
        self._flush()
        if _FENCE.match(line):
            self._fenced = not self._fenced
        elif line.strip():
            self._put(Kind.CODE, line)

    def _row(self, line: str) -> None:
        """Read a row under the heads of its table, as rows of documents are read."""
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not self._heads:
            self._heads = cells
            return
        told = [f"{head}: {cell}" for head, cell in zip(self._heads, cells, strict=False) if cell]
        self._put(Kind.ROW, "; ".join(told), "- ")

    def _flush(self) -> None:
        """Give back all that is open, as it is."""
        self._take(is_end=True)
        self._open = ""
        if self._kind is Kind.ITEM:
            self._kind, self._lead = Kind.SENTENCE, ""

    def _take(self, *, is_end: bool = False) -> None:
        """Give back the sentences that are complete: the next one has begun, or nothing comes."""
        text = self._open
        coded = _CODE.sub(_masked_code, text)
        masked = _BRACKET.sub(_masked_bracket, coded)
        sure = len(text) if is_end else _sure(coded)
        spans = _with_citations(masked, sentence_spans(masked))
        at = 0
        for start, end in spans:
            if end > sure or not (is_end or _NEXT.match(masked, end, sure)):
                break
            self._put(self._kind, text[start:end], self._lead)
            if self._kind is Kind.ITEM and not self._lead.isspace():
                self._lead = " " * len(self._lead)
            at = end
        if at:
            self._open = text[at:].lstrip() if is_end else text[at:]

    def _put(self, kind: Kind, text: str, lead: str = "", *, apart: bool = False) -> None:
        if text.strip():
            self._done.append(Saying(kind, text.strip(), lead, apart or self._apart))
            self._apart = False


def _sure(coded: str) -> int:
    """Return up to where no bracket or code is still open."""
    code = _OPEN_CODE.search(coded)
    if code:  # a bracket in code neither opens nor closes one
        coded = coded[: code.start()] + _masked_code(code)
    bracket = _OPEN_BRACKET.search(coded)
    return min((one.start() for one in (code, bracket) if one), default=len(coded))


def _masked_code(found: re.Match[str]) -> str:
    return "x" * len(found.group())


def _masked_bracket(found: re.Match[str]) -> str:
    """Return signs in place of citations that end no sentence, or belong to the end of one."""
    if found.string[: found.start()].endswith((".", "!", "?")):
        return "]" * len(found.group())
    return f"[{'_' * (len(found.group()) - 2)}]"


def _with_citations(masked: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in which what a sentence cites belongs to it, though it stands behind it."""
    told: list[tuple[int, int]] = []
    for start, end in spans:
        cited = _CITING.match(masked, start, end) if told else None
        if cited:
            told[-1] = (told[-1][0], cited.end())
            start = cited.end()
        while start < end and masked[start].isspace():
            start += 1
        if start < end:
            told.append((start, end))
    return told
