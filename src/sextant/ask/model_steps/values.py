"""Values out of a model's reply, which its schema has shaped already. Knows no step."""

from __future__ import annotations

from collections.abc import Iterator

from sextant.ask.grounding.framing import is_question_back
from sextant.text.markdown import printable
from sextant.types import JsonObject

_LONGEST = 400


def text_of(value: object) -> str:
    """Return a value as one line that is not too long, without signs that are not seen."""
    return " ".join(printable(str(value)).split())[:_LONGEST].rstrip()


def texts_in(reply: JsonObject, name: str, most: int) -> tuple[str, ...]:
    """Return the texts of a list that say something, each once."""
    given = reply[name]
    texts = (text_of(one) for one in given) if isinstance(given, list) else ()
    return tuple(dict.fromkeys(text for text in texts if text))[:most]


def aligned(reply: JsonObject, *names: str) -> Iterator[tuple[str, ...]]:
    """Yield the texts of lists that belong together; what one of them lacks is empty."""
    lists = [value if isinstance(value := reply[name], list) else [] for name in names]
    for at in range(max(map(len, lists), default=0)):
        yield tuple(text_of(own[at]) if at < len(own) else "" for own in lists)


def missing_in(reply: JsonObject, question: str, most: int) -> tuple[str, ...]:
    """Return what a model asks back, as far as that brings in nothing that nobody asked about."""
    asked = texts_in(reply, "missing_info_questions", most)
    return tuple(one for one in asked if is_question_back(one, question))
