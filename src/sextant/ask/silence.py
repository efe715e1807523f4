"""Fixed sentences about what the knowledge does not say. Knows a question's words, no knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import Formatter

from sextant.ask.parts import split_parts
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.text.markdown import inert
from sextant.text.relation_kinds import relation_kinds

_ASKED = re.compile(
    r"\s*(?P<word>who|what|where|when)(?:'s|\s+(?P<verb>is|are|was|were))"
    r"\s+(?P<thing>[^?.!,;]{1,80}?)\s*\?*\s*",
    re.IGNORECASE,
)
"""A question that can be said as a clause without knowing its grammar: who is the CEO."""

_UNSAID = "The knowledge does not say {asked}."


def unanswered(question: str, phrases: Phrases = ENGLISH) -> str:
    """Return that the knowledge does not answer a question, with the question where it is short."""
    found = _ASKED.fullmatch(question)
    if found is None or phrases.unknown != ENGLISH.unknown:
        return phrases.unknown
    verb = (found["verb"] or "is").lower()
    return _UNSAID.format(asked=f"{found['word'].lower()} {inert(found['thing'])} {verb}")


def name_nobody_bears(
    names: Sequence[str], near: Mapping[str, str], phrases: Phrases = ENGLISH
) -> Iterator[str]:
    """Yield for each name that nobody here bears that this is so, and which known name is near."""
    for name in names:
        sentence = phrases.edge_unknown.format(name=inert(name))
        if name in near:
            sentence = f"{sentence} {phrases.edge_near.format(name=inert(near[name]))}"
        yield sentence


def is_silence(line: str, question: str, phrases: Phrases = ENGLISH) -> bool:
    """Whether a line is one of the sentences about what a question asks and nothing answers."""
    if line == unanswered(question, phrases):
        return True
    if line in {phrases.open_part.format(part=inert(one.text)) for one in split_parts(question)}:
        return True
    if any(form.fullmatch(line) for form in _silences(phrases)):
        return True
    found = _unknown_name(phrases).fullmatch(line)
    return found is not None and found["name"].casefold() in inert(question).casefold()


def _silences(phrases: Phrases) -> tuple[re.Pattern[str], ...]:
    """Return how sentences read that say that nothing is recorded."""
    says = "|".join(re.escape(one.singular) for one in relation_kinds().values())
    forms = (phrases.edge_nothing, phrases.edge_nobody, phrases.edge_nothing_into)
    return (
        *(_pattern(one, name=".{1,200}", says=says) for one in forms),
        _pattern(phrases.edge_unsaid, said=f".{{1,200}} (?:{says}) .{{1,200}}"),
    )


def _unknown_name(phrases: Phrases) -> re.Pattern[str]:
    near = _pattern(phrases.edge_near, name=".{1,200}").pattern.replace("?P<name>", "")
    return re.compile(f"{_pattern(phrases.edge_unknown, name='.{1,200}').pattern}(?: {near})?")


def _pattern(form: str, **fields: str) -> re.Pattern[str]:
    """Return a pattern of a fixed sentence with these patterns in its fields."""
    parts = [
        re.escape(text) + (f"(?P<{name}>{fields[name]})" if name else "")
        for text, name, _, _ in Formatter().parse(form)
    ]
    return re.compile("".join(parts))
