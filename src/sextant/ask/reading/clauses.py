"""The questions within a question, and what stands before them. Knows how English ones open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sextant.ask.reading.courtesies import after_courtesies
from sextant.ask.reading.tokens import (
    ASKING,
    AUXILIARY,
    DETERMINERS,
    PERSONAL,
    PREPOSITIONS,
    STOP_WORDS,
    Token,
    content_words,
    tokens_of,
)
from sextant.text.prose.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Clause:
    """A question within a question, without the signs at its ends."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Clauses:
    """The questions of a text, in order, and the condition or the story before them."""

    lead: str
    asked: tuple[Clause, ...]


_JOINTS = frozenset({"and", "or", "but", "plus", "&"})
_ORDERS = frozenset({"list", "explain", "describe", "name", "show", "give", "compare"})
_INVERTED = frozenset({"when", "where", "why"})
_RELATIVE = frozenset({"who", "which", "that", "whose", "whom", "where", "when"})
_CONDITIONS = frozenset({"if", "when", "while", "once", "after", "before", "unless", "because"})
_SUBJECTS = DETERMINERS | PERSONAL | {"there"}
_LONGEST_STORY, _SHORT = 300, 3
_ENDS = " \t\n,;:.?!"


def clauses_of(question: str) -> Clauses:
    """Take a text apart into what it asks."""
    lead = ""
    asked: list[Clause] = []
    told: list[str] = []
    for sentence in _sentences(question):
        if _asks(sentence):
            before, found = _clauses(sentence)
            lead = lead or before
            asked += found
        else:
            told.append(sentence)
    story = " ".join(told)
    lead = f"{story} {lead}".strip() if len(story) <= _LONGEST_STORY else lead
    return Clauses(lead, tuple(asked))


def _sentences(question: str) -> list[str]:
    """Cut before each question; a stop that no question follows may belong to a name."""
    starts = [0]
    for start, end in sentence_spans(question):
        if start > 0 and (_asks_at_once(question[start:end]) or _begins(question[start:end])):
            starts.append(start)
    ends = [*starts[1:], len(question)]
    return [question[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _begins(sentence: str) -> bool:
    """Whether a sentence begins with a condition, which a question follows."""
    return sentence.partition(" ")[0].lower() in _CONDITIONS


def _asks_at_once(sentence: str) -> bool:
    """Whether a sentence opens as a question or an order."""
    tokens = after_courtesies(tokens_of(sentence))
    return bool(tokens) and (_opens(tokens, 0) or tokens[0].low in _ORDERS)


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _asks_at_once(sentence)


def _opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a question opens at this token."""
    low = tokens[at].low
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if low in PREPOSITIONS and after is not None:
        return after.low in ASKING and after.low not in _INVERTED and _opens(tokens, at + 1)
    if low in _INVERTED:
        return after is None or after.low in AUXILIARY or after.text == "?"
    if low in AUXILIARY:
        return after is not None and _is_subject(after)
    return low in ASKING


def _is_subject(token: Token) -> bool:
    return token.low in _SUBJECTS or token.text[:1].isupper()


def _clauses(sentence: str) -> tuple[str, list[Clause]]:
    """Return what stands before the question in a sentence, and the questions in it."""
    tokens = tokens_of(sentence)
    if not tokens:
        return "", []
    first = _first_opening(tokens)
    starts = [first]
    for at in range(first + 1, len(tokens)):
        if _goes_on_asking(tokens, starts[-1], at):
            starts.append(at + 1)
    lead = sentence[: tokens[first].start].rstrip(_ENDS) if _is_lead(tokens[:first]) else ""
    ends = [*(tokens[start].start for start in starts[1:]), len(sentence)]
    spans = zip(starts, ends, strict=True)
    found = [clause_of(sentence[tokens[start].start : end]) for start, end in spans]
    return lead, [clause for clause in found if any(token.is_word for token in clause.tokens)]


def _is_lead(tokens: Sequence[Token]) -> bool:
    """Whether words before a question say something: a condition, not a courtesy."""
    return bool(content_words(after_courtesies(tokens)))


def _first_opening(tokens: Sequence[Token]) -> int:
    """Return where the question of a sentence opens: in front, or behind a comma."""
    start = len(tokens) - len(after_courtesies(tokens))
    if start < len(tokens) and (_opens(tokens, start) and tokens[start].low not in _CONDITIONS):
        return start
    for at in range(start + 1, len(tokens)):
        if tokens[at - 1].text in ",:;-–—" and _opens(tokens, at):  # noqa: RUF001 - printed dashes
            return at
    return 0


def _goes_on_asking(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether a further question opens behind this token, which must be a joint."""
    if at + 1 >= len(tokens) or tokens[at + 1].text[:1].isupper() or not _opens(tokens, at + 1):
        return False
    if tokens[at].low in _JOINTS:
        return not _is_relative(tokens, start, at + 1)
    word = tokens[at + 1].low
    return tokens[at].text in ",;" and (word in ("what", "how", "why") or at - start <= _SHORT)


def _is_relative(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether a question word goes on with what an earlier one says of a noun."""
    if tokens[at].low.removesuffix("'s") not in _RELATIVE:
        return False
    earlier = tokens[start + 1 : at]
    return any(
        token.low in _RELATIVE and before.is_word and before.low not in STOP_WORDS
        for before, token in pairwise(earlier)
    ) and not _has_noun(tokens, at)


def _has_noun(tokens: Sequence[Token], at: int) -> bool:
    """Whether a question word asks for a noun, as in ``which team``."""
    return tokens[at].low == "which" and tokens[at + 1].low not in AUXILIARY | STOP_WORDS


def clause_of(text: str) -> Clause:
    """Return a text as a clause, without signs and joints at its ends."""
    text = text.strip(_ENDS)
    tokens = tokens_of(text)
    while tokens and tokens[-1].low in _JOINTS:
        text = text[: tokens[-1].start].rstrip(_ENDS)
        tokens = tokens_of(text)
    return Clause(text, tokens)
