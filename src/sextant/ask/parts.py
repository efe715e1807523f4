"""The parts of a question, each able to stand alone. Knows how English questions open, no store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sextant.text.prose.sentences import sentence_spans
from sextant.text.tokens import (
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
from sextant.text.written_names import names_in

MOST_PARTS = 2
"""A question is asked whole and in at most so many parts, which makes the three of the plan."""

LONGEST = 2_000
"""Characters of a question that is taken apart; a longer one is a text rather than a question."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question that stands alone, and in a few words what it is for."""

    text: str
    goal: str


_JOINTS = frozenset({"and", "or", "but", "plus", "&"})
_ORDERS = frozenset({"list", "explain", "describe", "name", "show", "give", "compare"})
_CONDITIONS = frozenset({"if", "when", "while", "once", "after", "before", "unless", "because"})
_ADJUNCTS = frozenset({"when", "where", "why"})
_RELATIVE = frozenset({"who", "which", "that", "whose", "whom", "where", "when"})
_SUBJECTS = DETERMINERS | PERSONAL | {"there"}
_STAND_INS = frozenset({"it", "its", "they", "them", "their"})
_COURTESY = re.compile(
    r"(?:(?:(?:hi|hello|hey|ok|okay|so|well|now|also|please|sorry|thanks|thank you)\b[,!. ]*)"
    r"|(?:(?:can|could|would|will) (?:you|someone|anybody) (?:please )?(?:tell|show|explain|say)\b"
    r"|(?:please )?(?:tell|show|remind|let) (?:me|us)(?: know)?\b|do you (?:happen to )?know\b"
    r"|i(?:'d| would) like to know\b|i (?:want|need) to know\b|i(?: am|'m) (?:wondering|looking)\b"
    r")(?: me| us)?[, ]*)+",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:difference|differences|compare|contrast) (?:between |of )?(?P<one>.+?)"
    r" (?:and|with|to|from) (?P<other>[^?]+?)[ ?.]*$"
    r"|^(?P<first>[^?,]+?) (?:vs\.?|versus) (?P<second>[^?,]+?)[ ?.]*$"
    r"|^(?P<lead>(?:which|who|what)\b[^?]+?)[,:] (?P<this>[^,?]+?) or (?P<that>[^,?]+?)[ ?.]*$",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:both|same|common|alike|differ)\b", re.IGNORECASE)
_SIDE_BY_SIDE = re.compile(r",? (?P<joint>and|or) (?:the |a |an )?")
_OWNER = re.compile(
    r"(?:who|(?:which|what) team) (?P<does>owns|maintains|runs|operates) (?P<name>.+)",
    re.IGNORECASE,
)
_THAT_TEAM = re.compile(r"\b(?:that|this|the) team\b(?! that)", re.IGNORECASE)
_ARTICLES = frozenset({"the", "a", "an", "our"})
_PEOPLE = frozenset({"team", "person", "group", "people"})
_ENDS = " \t\n,;:.?!"
_LONGEST_STORY, _LONGEST_GOAL, _LONGEST_NOUN, _TOPIC_WORDS, _SHORT = 300, 80, 3, 12, 3


def split_parts(question: str) -> tuple[Part, ...]:
    """Return the parts of a question that has several; a question that has not has none."""
    if len(question) > LONGEST:
        return ()
    if sides := _sides(question):
        return sides
    lead, clauses = _clauses_of(question)
    if len(clauses) < 2:
        return ()
    parts = [_stand_alone(clauses, at, lead) for at in range(len(clauses))]
    if len(parts) > MOST_PARTS:
        rest = parts[MOST_PARTS - 1 :]
        joined = Part(" ".join(one.text for one in rest), "; ".join(one.goal for one in rest))
        parts = [*parts[: MOST_PARTS - 1], joined]
    return tuple(parts)


def _sides(question: str) -> tuple[Part, ...]:
    """Return a question about each of two things that it sets side by side."""
    found = _COMPARED.search(question)
    if found is None:
        return _named_sides(question)
    if lead := found["lead"]:
        if not all(names_in(f"the {found[side]}") for side in ("this", "that")):
            return ()
        return tuple(
            Part(f"{lead}, {found[side]}?", f"about {found[side]}") for side in ("this", "that")
        )
    sides = (found["one"] or found["first"], found["other"] or found["second"])
    if not all(any(word not in STOP_WORDS for word in side.lower().split()) for side in sides):
        return ()
    return tuple(Part(f"What is {side.strip()}?", f"about {side.strip()}") for side in sides)


def _named_sides(question: str) -> tuple[Part, ...]:
    """Return a question with each of two names beside each other that it asks about both of."""
    is_of_both = bool(_BOTH.search(question))
    names = names_in(question)
    for one, other in pairwise(names):
        joint = _SIDE_BY_SIDE.fullmatch(question[one.end : other.start])
        if joint and (is_of_both or joint["joint"] == "or"):
            before, behind = question[: one.start], question[other.end :]
            return tuple(
                Part(f"{before}{name.text}{behind}".strip(), f"about {name.text}")
                for name in (one, other)
            )
    return ()


def _clauses_of(question: str) -> tuple[str, list[str]]:
    """Return the condition or story before the questions of a text, and the questions."""
    lead, story, clauses = "", list[str](), list[str]()
    for sentence in _sentences(question):
        if sentence.endswith("?") or _asks_at_once(sentence):
            before, found = _clauses_in(sentence)
            lead = lead or before
            clauses += found
        else:
            story.append(sentence)
    before = " ".join(story)
    return (f"{before} {lead}".strip() if len(before) <= _LONGEST_STORY else lead), clauses


def _sentences(question: str) -> Iterator[str]:
    """Cut before each question; a stop that no question follows may belong to a name."""
    starts = [
        start
        for start, end in sentence_spans(question)
        if start and (_asks_at_once(question[start:end]) or _is_condition(question[start:end]))
    ]
    for start, end in zip([0, *starts], [*starts, len(question)], strict=True):
        yield question[start:end].strip()


def _is_condition(sentence: str) -> bool:
    return sentence.partition(" ")[0].lower() in _CONDITIONS


def _asks_at_once(sentence: str) -> bool:
    tokens = tokens_of(_without_courtesy(sentence))
    return bool(tokens) and (_opens(tokens, 0) or tokens[0].low in _ORDERS)


def _without_courtesy(text: str) -> str:
    found = _COURTESY.match(text)
    return text[found.end() :] if found and found.end() < len(text.rstrip(_ENDS)) else text


def _opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a question opens at this token."""
    low = tokens[at].low
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if low in PREPOSITIONS and after is not None:
        return after.low in ASKING and after.low not in _ADJUNCTS and _opens(tokens, at + 1)
    if low in _ADJUNCTS:
        return after is None or after.low in AUXILIARY or after.text == "?"
    if low in AUXILIARY:
        return after is not None and (after.low in _SUBJECTS or after.text[:1].isupper())
    return low in ASKING


def _clauses_in(sentence: str) -> tuple[str, list[str]]:
    """Return what stands before the question in a sentence, and the questions in it."""
    sentence = _without_courtesy(sentence)
    tokens = tokens_of(sentence)
    if not tokens:
        return "", []
    first = _first_opening(tokens)
    starts = [first]
    for at in range(first + 1, len(tokens) - 1):
        if _goes_on_asking(tokens, starts[-1], at):
            starts.append(at + 1)
    before = sentence[: tokens[first].start].rstrip(_ENDS)
    ends = [*(tokens[start].start for start in starts[1:]), len(sentence)]
    spans = zip(starts, ends, strict=True)
    found = [_stripped(sentence[tokens[start].start : end]) for start, end in spans]
    lead = before if content_words(tokens[:first]) else ""
    return lead, [clause for clause in found if any(map(str.isalnum, clause))]


def _first_opening(tokens: Sequence[Token]) -> int:
    """Return where the question of a sentence opens: in front, or behind a comma."""
    if _opens(tokens, 0) and tokens[0].low not in _CONDITIONS:
        return 0
    openings = (
        at
        for at in range(1, len(tokens))
        if tokens[at - 1].text in ",:;-–—" and _opens(tokens, at)  # noqa: RUF001 - printed dashes
    )
    return next(openings, 0)


def _goes_on_asking(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether a further question opens behind this token, which must be a joint."""
    if tokens[at + 1].text[:1].isupper() or not _opens(tokens, at + 1):
        return False
    if tokens[at].low in _JOINTS:
        return not _is_relative(tokens, start, at + 1)
    word = tokens[at + 1].low
    return tokens[at].text in ",;" and (word in ("what", "how", "why") or at - start <= _SHORT)


def _is_relative(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether a question word goes on with what an earlier one says of a noun."""
    if tokens[at].low.removesuffix("'s") not in _RELATIVE:
        return False
    asks_for_noun = tokens[at].low == "which" and tokens[at + 1].low not in AUXILIARY | STOP_WORDS
    pairs = zip(tokens[start + 1 : at], tokens[start + 2 : at], strict=False)
    return not asks_for_noun and any(
        token.low in _RELATIVE and before.is_word and before.low not in STOP_WORDS
        for before, token in pairs
    )


def _stripped(clause: str) -> str:
    """Return a clause without the signs and joints at its ends."""
    clause = clause.strip(_ENDS)
    while clause.rpartition(" ")[2].lower() in _JOINTS:
        clause = clause.rpartition(" ")[0].rstrip(_ENDS)
    return clause


def _stand_alone(clauses: Sequence[str], at: int, lead: str) -> Part:
    clause = clauses[at]
    goal = (clause[:1].lower() + clause[1:])[:_LONGEST_GOAL]
    if at == 0:
        return Part(_with_lead(lead, clause), goal)
    if len(clause.split()) <= 2 or clause.partition(" ")[0].lower() in PREPOSITIONS:
        return Part(f"{_capital(clause)}: {clauses[0]}?", goal)
    texts = [lead, *clauses[:at]]
    names = list(dict.fromkeys(name.text for text in texts for name in names_in(text) if name.sure))
    clause = _with_owner(clause, clauses[at - 1])
    clause = _filled_in(clause, _thing_in(clauses[at - 1], names))
    if names_in(clause):
        return Part(f"{_capital(clause)}?", goal)
    if not names and lead:
        return Part(_with_lead(lead, clause), goal)
    words = content_words(tokens_of(clauses[at - 1]))[:_TOPIC_WORDS]
    topic = ", ".join(names[:2]) or " ".join(words)
    return Part(f"{topic}: {clause}?" if topic else f"{_capital(clause)}?", goal)


def _with_owner(clause: str, before: str) -> str:
    """Return ``who leads the team that owns Service A`` for that team, after who owns it."""
    asked = _OWNER.match(before)
    meant = f"the team that {asked['does'].lower()} {asked['name']}" if asked else ""
    return _THAT_TEAM.sub(lambda _: meant, clause, count=1) if meant else clause


def _thing_in(clause: str, names: Sequence[str]) -> str:
    """Return what ``it`` means after a clause: what it asks for, else a name, else its last noun.

    After ``which runbook do I follow`` it is the runbook.
    """
    tokens = tokens_of(clause)
    asked = _noun_at(tokens, 1) if tokens and tokens[0].low in ("which", "what") else ""
    if asked or names:
        return f"the {asked}" if asked and asked not in _PEOPLE else (names or [""])[0]
    nouns = (_noun_at(tokens, at + 1) for at, token in enumerate(tokens) if token.low in _ARTICLES)
    last = list(filter(None, nouns))[-1:]
    return f"the {last[0]}" if last else ""


def _noun_at(tokens: Sequence[Token], start: int) -> str:
    """Return the noun that begins at a token: a few words in small letters up to a small one."""
    words: list[str] = []
    for token in tokens[start : start + _LONGEST_NOUN]:
        if not token.text.islower() or token.low in STOP_WORDS:
            break
        if words and token.low.endswith(("s", "ed")):
            break
        words.append(token.low)
        if token.low.endswith("s"):
            break
    return " ".join(words)


def _filled_in(clause: str, name: str) -> str:
    """Put a name in place of the first ``it``, unless the clause has a name before it."""
    at = next((token for token in tokens_of(clause) if token.low in _STAND_INS), None)
    if at is None or not name or names_in(clause[: at.start]) or clause.endswith("it take"):
        return clause
    owner = "'s" if at.low in ("its", "their") else ""
    return f"{clause[: at.start]}{name}{owner}{clause[at.end :]}"


def _with_lead(lead: str, clause: str) -> str:
    if not lead:
        return f"{_capital(clause)}?"
    joined = f" {_capital(clause)}" if lead.endswith((".", "!", "?")) else f", {clause}"
    return f"{lead}{joined}?"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
