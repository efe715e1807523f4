"""Remarks in code, each with the line that it stands before. Knows signs that open a remark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sextant.text.layouts.fields import begin
from sextant.text.layouts.piece import Line, Unit, cut
from sextant.text.markdown import line_of_code, printable
from sextant.types import Passage

_COMMENT = re.compile(r"^[ \t]*(?://+|#+(?!!)|--+(?=[ \t]|$)|;+|/\*+|\*+(?=[ \t/]|$))[ \t]?")
_GOES_ON = "\\"
"""What ends a line of a command that the next line goes on with."""
_SECTION = re.compile(r"^\[{1,2}([^\W\d][\w .\"'/:-]{0,80})\]{1,2}[ \t]*(?:[#;].*)?$")
"""A line that opens a section of settings, as in TOML and INI."""


def code_in(passage: Passage, block: Sequence[Line]) -> list[Unit]:
    """Return each comment with the line of code that it stands before, under its section."""
    found: list[Unit] = []
    held: list[Line] = []
    section = ""
    goes_on = False
    for line in block:
        is_comment = not goes_on and bool(_COMMENT.match(line[2]))
        goes_on = not is_comment and line[2].endswith(_GOES_ON)
        if line[2].strip():
            held.append(line)
        if held and not is_comment and not goes_on:
            opened = _SECTION.match(line[2])
            found.append(_remark(passage, held, "" if opened else section))
            section = opened.group(1) if opened else section
            held = []
    return found + ([_remark(passage, held, section)] if held else [])


def _remark(passage: Passage, lines: Sequence[Line], section: str) -> Unit:
    start = begin(lines[0])
    end = cut(passage.chunk.text, start, lines[-1][1])
    own = passage.chunk.text[start:end].split("\n")
    said = " ".join(filter(None, map(_read, own)))
    said = f"{section}: {said}" if section else said
    return Unit(passage, start, end, said, section, "code")


def _read(line: str) -> str:
    """Return a remark in words, and any other line as the code that it is."""
    if remark := _COMMENT.match(line):
        return " ".join(printable(line[remark.end() :]).split())
    return line_of_code(line)
