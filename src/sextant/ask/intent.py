"""What a question asks of the graph: whose edges, of which kinds, which way and in what form.

A question is cut into clauses, and what fails or what it is about is carried from one to another.
Knows no store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sextant.ask.intent_forms import Forms
from sextant.ask.intent_names import Named, names_of
from sextant.ask.intent_nouns import (
    MOST_HOPS,
    Form,
    Hop,
    Intent,
    Ref,
    is_ref,
)
from sextant.ask.intent_words import ASKING, BEING, FAILING, HELPING, OUTAGE, PEOPLE, TOPICS
from sextant.text.relation_kinds import kind_of
from sextant.text.words import fold
from sextant.types import Direction, Linked

__all__ = ["Form", "Hop", "Intent", "parse_intents"]

_LONGEST, _MOST_TOKENS, _MOST_INTENTS = 400, 60, 6


def parse_intents(text: str, linked: Sequence[Linked]) -> tuple[Intent, ...]:
    """Return what a question, or a part of one, asks of the graph, in its order."""
    if len(text) > _LONGEST:
        return ()
    names = names_of(text, linked)
    if not names:
        return ()
    return tuple(dict.fromkeys(_Reading(text, names).intents()))[:_MOST_INTENTS]


_APOSTROPHES = str.maketrans("’ʼ", "''")  # noqa: RUF001 - printed apostrophes
_SHORTENED = (
    (r"\b(who|what|where|which|that)'s\b", r"\1 is"),
    (r"n't\b", " not"),
    (r"\bcannot\b", "can not"),
)
_TOKEN = re.compile(r"§\d+|'s(?!\w)|\w+(?:['-]\w+)*|[^\w\s]")
_STOPS = frozenset(",;:?!.()|")
_DASH = re.compile(r"\s[-–—]+\s|[-–—]{2,}")  # noqa: RUF001 - dashes as they are printed
_COURTESY = re.compile(
    r"^(?:(?:please|hi|hello|hey|ok|okay|so|and|but|then|also|well|now|quick question|actually|"
    r"(?:(?:can|could|would) (?:you|someone|anyone) )?(?:please )?"
    r"(?:tell|remind|show|give) (?:me|us)|"
    r"(?:do you|does (?:anyone|anybody|somebody|someone)|anyone|anybody) know|just|"
    r"(?:i|we) (?:want|need|would like|'d like) to know|(?:i|we) wonder|"
    r"list|name|find|say)\b[ ,:]*)+"
)
_DROPPED = frozenset(
    "the a an our your my actually currently now today really exactly again still already please "  # noqa: SIM905 - words read best as words
    "anyway here thanks ultimately directly also both first right then any overall".split()
)
_ALL = re.compile(
    r"\b(?:directly (?:and|or) indirectly|directly or not|indirectly|transitively|recursively|"
    r"in turn|all the way(?: down| up)?|in the end|all(?: of)?(?! the time))\b"
)
_RADIUS = re.compile(r"\bblast radius\b")
_TAIL = re.compile(
    r"\b(?:these days|at the moment|right now|for now|by the way|as of now|i guess)\b"
)
_LIST = re.compile(r"(§\d+)(?: ?,| and| or| as well as|, and) (?=§)")
_CONDITIONS = frozenset(
    "if when once whenever while after suppose supposing assuming imagine because should".split()  # noqa: SIM905 - words read best as words
)
_BEFORE_OUTAGE = frozenset("by in of during from with after case an on for about".split())  # noqa: SIM905 - words read best as words
_INCIDENTS = frozenset({"incidents", "problems", "outages", "issues"})
_PRONOUNS = frozenset({"it", "this", "that", "they", "them"})


@dataclass(slots=True)
class _Reading:
    """One question while it is read: placeholders stand for names, and for what leads on."""

    text: str
    names: Sequence[Named]
    forms: Forms = field(default_factory=Forms)
    topic: str = ""
    it_fails: bool = False
    is_blurred: bool = False
    last: Intent | None = None

    def intents(self) -> list[Intent]:
        """Return what each clause asks for."""
        clauses = [(is_soft, self._without_condition(one)) for is_soft, one in self._clauses()]
        self.forms.alone = len([one for _, one in clauses if one]) == 1
        for _, clause in clauses:
            self._note_topic(clause)
        self.forms.failing = self.forms.failing or (self.topic if self.it_fails else "")
        every: list[Intent] = []
        for is_soft, clause in clauses:
            found = next(filter(None, map(self.forms.read, self._completed(clause))), ())
            if found:
                self.topic = next(filter(is_ref, clause), self.topic)
                every += found
            elif clause and not self._is_topic(clause):
                self.is_blurred = True
                self.topic = self.forms.failing
                if is_soft and every and not _opens(clause):
                    del every[-1:]  # a few words more, such as a time, that it does not know
            self.last = found[-1] if found else None
        return every

    def _clauses(self) -> Iterator[tuple[bool, list[str]]]:
        """Yield clauses in words, with placeholders for names, and whether a comma is before."""
        parts, at = [], 0
        for one in self.names:
            parts += [_plain(self.text[at : one.start]), f" {self.forms.refs.put(Ref((one,)))} "]
            at = one.end
        parts.append(_plain(self.text[at:]))
        text = fold(_DASH.sub(" | ", "".join(parts))).translate(_APOSTROPHES)
        for pattern, instead in _SHORTENED:
            text = re.sub(pattern, instead, text)
        text, all_of_them = _ALL.subn(" ", text)
        text, radius = _RADIUS.subn("dependents", text)
        text = _LIST.sub(self._joined, re.sub(r"\s+", " ", _TAIL.sub(" ", text)).strip())
        self.forms.closure = bool(all_of_them or radius)
        clause: list[str] = []
        is_soft = False
        tokens = _TOKEN.findall(_COURTESY.sub("", text))[:_MOST_TOKENS]
        for at, word in enumerate(tokens):
            after = tokens[at + 1 : at + 3]
            if word in _STOPS or (word in ("and", "but", "then", "or") and _opens(after)):
                if clause:
                    yield is_soft, clause
                    is_soft = word == ","
                clause = []
            elif word not in _DROPPED:
                clause.append(word)
        if clause:
            yield is_soft, clause

    def _joined(self, found: re.Match[str]) -> str:
        """Mark the names of a list, which are one subject."""
        return f"{found[1]} ¦ "

    def _without_condition(self, tokens: list[str]) -> list[str]:
        """Return a clause without what says that something fails, which is noted."""
        tokens = self._with_lists(tokens)
        tokens = [
            word
            for at, word in enumerate(tokens)
            if word not in _INCIDENTS or tokens[at + 1 : at + 2] != ["escalate"]
        ]
        for at, word in enumerate(tokens):
            if not is_ref(word) and not (at and word in _PRONOUNS):
                continue
            start, end = self._outage(tokens, at) or self._failure(tokens, at) or (0, 0)
            if end and is_ref(word):
                self.forms.failing = self.topic = word
            self.it_fails = self.it_fails or bool(end)
            if end:
                return tokens[:start] + tokens[end:]
        return tokens

    def _with_lists(self, tokens: list[str]) -> list[str]:
        """Put one placeholder in place of names that are listed."""
        kept: list[str] = []
        for word in tokens:
            if kept[-1:] == ["¦"] and len(kept) > 1 and is_ref(word):
                kept.pop()
                kept[-1] = self.forms.refs.put(
                    Ref(self.forms.refs.at(kept[-1]).names + self.forms.refs.at(word).names)
                )
            else:
                kept.append(word)
        return kept

    def _outage(self, tokens: Sequence[str], at: int) -> tuple[int, int] | None:
        """Return where ``an outage of §0`` or ``a §0 outage`` stands."""
        start, end = at, at + 1
        if not is_ref(tokens[at]):
            return None
        after = tokens[end] if end < len(tokens) else ""
        if after.removesuffix("s") in OUTAGE:
            end += 1
        elif at > 1 and tokens[at - 1] in ("of", "in", "with") and tokens[at - 2] in OUTAGE:
            start -= 2
        elif at and tokens[at - 1] == "without" and at > 1:
            start -= 1
        else:
            return None
        while start and tokens[start - 1] in _BEFORE_OUTAGE:
            start -= 1
        return start, end

    def _failure(self, tokens: Sequence[str], at: int) -> tuple[int, int] | None:
        """Return where ``if §0 fails`` stands, or ``§0 is down`` alone."""
        is_condition = at > 0 and tokens[at - 1] in _CONDITIONS
        for end in range(min(len(tokens), at + 5), at + 1, -1):
            if " ".join(tokens[at + 1 : end]) in FAILING and (
                is_condition or (at == 0 and end == len(tokens))
            ):
                start = at - is_condition
                while start and tokens[start - 1] in ("what", "even") and start == 1:
                    start -= 1
                return start, end
        return None

    def _note_topic(self, tokens: Sequence[str]) -> None:
        """Note what a question is about where it says so apart: ``Service A: …``."""
        if self._is_topic(tokens):
            self.topic = next(filter(is_ref, tokens))

    def _is_topic(self, tokens: Sequence[str]) -> bool:
        plain = [word for word in tokens if word not in TOPICS and word != "'s"]
        return len(plain) == 1 and is_ref(plain[0])

    def _completed(self, tokens: list[str]) -> Iterator[list[str]]:
        """Yield a clause, and if it names nobody, what it may mean."""
        if any(map(is_ref, tokens)) or not tokens or not self.topic:
            yield tokens
            return
        own = self.topic
        last = self._last_found()
        for at, word in enumerate(tokens):
            rest = tokens[at + 1 :]
            if last and word in ("that", "this") and rest[:1] and rest[0] in PEOPLE:
                yield [*tokens[:at], last, *rest[1:]]
            if word in ("its", "their") and not self.is_blurred:
                yield [*tokens[:at], own, "'s", *rest]
            elif last and word == "them" and self._leads_to_people():
                yield [*tokens[:at], last, *rest]
            elif word in _PRONOUNS and not self.is_blurred:
                yield [*tokens[:at], own, *rest]
        yield tokens
        yield [*tokens, "for", own]
        yield [*tokens, "of", own]

    def _leads_to_people(self) -> bool:
        hop = self.last.hops[-1] if self.last else None
        return (
            hop is not None
            and hop.direction is Direction.OUT
            and all(kind_of(kind).people for kind in hop.kinds)
        )

    def _last_found(self) -> str:
        """Return a placeholder for what the clause before asks for."""
        one = self.last
        if one is None or len(one.hops) >= MOST_HOPS or one.form is not Form.NAMES:
            return ""
        return self.forms.refs.put(Ref((one.subject,), one.hops))


def _plain(text: str) -> str:
    """Return a text without the signs that stand for something here."""
    return text.replace("§", " ").replace("¦", " ")


def _opens(tokens: Sequence[str]) -> bool:
    """Whether a clause begins with these words."""
    one = [word for word in tokens if word not in ("also", "then")][:1]
    return bool(one) and one[0] in ASKING | HELPING | BEING | _CONDITIONS | {
        "how",
        "whose",
        "where",
    }
