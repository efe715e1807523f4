"""The text of an answer, line by line: which are statements, which only hold them together."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

from sextant.ask.cite import lines_of
from sextant.ask.grounding.framing import is_denial, is_frame
from sextant.ask.phrases import ENGLISH, Phrases, phrases_for
from sextant.ask.route import route
from sextant.ask.silence import is_silence
from sextant.text.markdown import inert
from sextant.text.words import Words
from sextant.types import Answer

_LABEL = re.compile(r"(?<!\\)\[([^\[\]\\]{1,200})\]")
_LISTED = re.compile(r" *(?:- |\d{1,3}\. )?")


def text_lines(answer: Answer) -> list[str]:
    """Return the lines of an answer beside its blocks, without the marks of lists."""
    text = answer.text
    for one in answer.statements:
        if one.block:
            text = text.replace(lines_of(one), "", 1)
    return [_LISTED.sub("", line, count=1) for line in text.split("\n")]


def loose_lines(answer: Answer, words: Words) -> list[str]:
    """Return the lines that are no statement, and are not what every answer is held together by."""
    phrases = _phrases(answer)
    if _is_unsourced(answer, phrases):
        return []
    held = {"", phrases.unknown, phrases.nearest, phrases.empty, phrases.known, phrases.missing}
    held.update((phrases.otherwise, phrases.formerly, phrases.unanswered))
    held.update(lines_of(one) for one in answer.statements)
    held.update(inert(one) for one in answer.verdict.missing)
    held.update((route(answer.question, phrases).reply, phrases.chat))
    loose = [line for line in text_lines(answer) if line not in held]
    asked = dict.fromkeys((answer.question, _resolved(answer)))
    loose = [line for line in loose if not any(is_silence(line, q, phrases) for q in asked)]
    if not any(one.written for one in answer.statements):
        return loose
    loose = [line for line in loose if not line.endswith(phrases.unsupported)]
    return [line for line in loose if not _is_framing(line, _asked(answer), words)]


def _is_unsourced(answer: Answer, phrases: Phrases) -> bool:
    """Whether an answer says of itself that it is not from the knowledge, and claims no source."""
    claims = answer.statements or answer.citations or answer.verdict.sufficient
    return not claims and text_lines(answer)[-1] == phrases.unsourced


def _phrases(answer: Answer) -> Phrases:
    """Return the fixed sentences of an answer's language and day."""
    try:
        day = datetime.fromisoformat(answer.trace.now).date()
    except ValueError:
        return ENGLISH
    return phrases_for(answer.trace.locale, day)


def _is_framing(line: str, question: str, words: Words) -> bool:
    """Whether a line of a written answer claims nothing."""
    text = line.removeprefix("## ")
    leads = text != line or text.endswith(":")
    return is_frame(text, question, words) if leads else is_denial(text, question, words)


def _asked(answer: Answer) -> str:
    """Return the question, and what it was taken to mean."""
    return f"{answer.question}\n{_resolved(answer)}"


def _resolved(answer: Answer) -> str:
    """Return what the question was taken to mean, as the trace tells."""
    step = answer.trace.step("resolve")
    return str(step.facts.get("question", "")) if step else ""


def unknown_labels(line: str, labels: Collection[str]) -> list[str]:
    """Return what a line names like a source, but is none of these."""
    return [label for label in _LABEL.findall(line) if label not in labels]
