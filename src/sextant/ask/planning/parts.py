"""The parts of a question, each able to stand alone: what it is about goes along with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.reading.asking import asking_of, noun_at
from sextant.ask.reading.clauses import Clause, clause_of, clauses_of
from sextant.ask.reading.kinds import Kind, kind_of
from sextant.ask.reading.names import names_in
from sextant.ask.reading.tokens import AUXILIARY, PREPOSITIONS, content_words, tokens_of


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question that stands alone, and in a few words what it is for."""

    text: str
    goal: str


_STAND_INS = frozenset({"it", "its", "they", "them", "their"})
_LONGEST_GOAL, _TOPIC_WORDS = 80, 12


def parts_of(question: str) -> tuple[Part, ...]:
    """Return the parts of a question that has several; one that has not has none."""
    found = clauses_of(question)
    if len(found.asked) < 2:
        return ()
    return tuple(_part(found.asked, at, found.lead) for at in range(len(found.asked)))


def _part(clauses: Sequence[Clause], at: int, lead: str) -> Part:
    clause = clauses[at]
    goal = (clause.text[:1].lower() + clause.text[1:])[:_LONGEST_GOAL]
    if at == 0:
        return Part(_with_lead(lead, clause.text), goal)
    first = clauses[0]
    if _is_bare(clause):
        return Part(f"{_capital(clause.text)}: {_without_asking(first)}?", goal)
    text = _filled_in(clause, clauses[:at], lead)
    return Part(_about(clause_of(text), clauses[:at], lead), goal)


def _filled_in(clause: Clause, before: Sequence[Clause], lead: str) -> str:
    """Put what is meant in place of the first ``it``, unless the clause names something itself."""
    at = next((token for token in clause.tokens if token.low in _STAND_INS), None)
    if at is None or names_in(clause.text[: at.start]) or clause.text.endswith("it take"):
        return clause.text
    several = at.low not in ("it", "its")
    meant = _asked_before(before[-1], several) or _first_name(before, lead)
    meant = meant or ("" if several else _last_noun(before[-1]))
    if not meant:
        return clause.text
    meant += "'s" if at.low in ("its", "their") else ""
    return f"{clause.text[: at.start]}{meant}{clause.text[at.end :]}"


def _asked_before(clause: Clause, several: bool) -> str:
    """Return ``the runbook`` after ``which runbook do I follow``."""
    asking = asking_of(clause.tokens)
    things = asking.word in ("what", "which", "how") and asking.noun
    plain = things and asking.words[0] not in AUXILIARY
    fits = asking.head.endswith("s") if several else kind_of(asking) is not Kind.PERSON
    return f"the {asking.noun}" if plain and fits else ""


def _first_name(before: Sequence[Clause], lead: str) -> str:
    texts = [lead, *(earlier.text for earlier in before)]
    return next((name.text for text in texts for name in names_in(text) if name.sure), "")


def _last_noun(clause: Clause) -> str:
    """Return the last ``the escalation policy`` of a clause."""
    found = ""
    for at, token in enumerate(clause.tokens):
        noun = noun_at(clause.tokens[at + 1 :]) if token.low in ("the", "a", "an", "our") else ""
        found = f"the {noun}" if noun else found
    return found


def _with_lead(lead: str, text: str) -> str:
    if not lead:
        return f"{_capital(text)}?"
    if lead.endswith((".", "!", "?")):
        return f"{lead} {_capital(text)}?"
    return f"{lead}, {text}?"


def _is_bare(clause: Clause) -> bool:
    """Whether a clause leaves out its verb, as in ``within how many days``."""
    words = [token.low for token in clause.tokens if token.is_word]
    asking = asking_of(clause.tokens)
    framed = bool(words) and (words[0] in PREPOSITIONS or asking.word == "how")
    return len(words) <= 2 or (framed and bool(asking.noun) and words[-1] == asking.head)


def _without_asking(clause: Clause) -> str:
    """Return a clause without its question word and the noun that it asks for."""
    asking = asking_of(clause.tokens)
    tokens = [token for token in clause.tokens if token.is_word]
    at = next((at for at, token in enumerate(tokens) if token.low == asking.word), 0)
    taken = at + 1 + len(asking.noun.split()) + (asking.word == "how")
    rest = tokens[taken:] or tokens
    return clause.text[rest[0].start :] if rest else clause.text


def _about(clause: Clause, before: Sequence[Clause], lead: str) -> str:
    """Return a clause with what it is about, if it does not say so itself."""
    if names_in(clause.text):
        return f"{_capital(clause.text)}?"
    texts = [lead, *(earlier.text for earlier in before)]
    names = list(dict.fromkeys(name.text for text in texts for name in names_in(text) if name.sure))
    if not names and lead:
        return _with_lead(lead, clause.text)
    topic = ", ".join(names[:2]) or _topic(before[-1])
    return f"{topic}: {clause.text}?" if topic else f"{_capital(clause.text)}?"


def _topic(clause: Clause) -> str:
    words = content_words(tokens_of(_without_asking(clause)))[:_TOPIC_WORDS]
    return " ".join(words) if len(words) > 1 else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
