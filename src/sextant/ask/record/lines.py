"""The text of an answer, line by line: which are statements, which only hold them together."""

from __future__ import annotations

import re
from collections.abc import Collection

from sextant.ask.answer import UNKNOWN
from sextant.ask.cite import KNOWN, MISSING, line_of
from sextant.ask.evidence.markdown import inert
from sextant.ask.route import route
from sextant.types import Answer

_LABEL = re.compile(r"(?<!\\)\[([^\[\]\\]{1,200})\]")


def lines_of(answer: Answer) -> list[str]:
    """Return the lines of an answer, without the marks of lists."""
    return [line.removeprefix("- ") for line in answer.text.split("\n")]


def loose_lines(answer: Answer) -> list[str]:
    """Return the lines that are no statement, and are not what every answer is held together by."""
    held = {"", UNKNOWN, KNOWN, MISSING}
    held.update(line_of(one) for one in answer.statements)
    held.update(inert(one) for one in answer.verdict.missing)
    held.update(route(answer.question).reply.split("\n"))
    return [line for line in lines_of(answer) if line not in held]


def unknown_labels(line: str, labels: Collection[str]) -> list[str]:
    """Return what a line names like a source, but is none of these."""
    return [label for label in _LABEL.findall(line) if label not in labels]
