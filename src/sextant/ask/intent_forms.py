"""The forms of a clause that asks for edges: who owns it, what breaks, does this need that.

A clause is read as a whole; one with a word too many asks for something else. Knows no conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sextant.ask.intent_nouns import MOST_HOPS, Form, Hop, Intent, Ref, Refs, is_ref
from sextant.ask.intent_words import (
    ANY_SORT,
    ASKERS,
    ASKING,
    BEING,
    BEING_TURNED_TO,
    BREAKING,
    ESCALATING,
    HELPING,
    OUTAGE,
    PEOPLE,
    SORTS,
    TOPICS,
    TURNING_TO,
    Saying,
    nouns,
    states,
    verbs,
    wordings,
)
from sextant.text.relation_kinds import kind_of
from sextant.types import Direction

DEPENDING = frozenset({"depends_on", "uses", "calls"})
_UNCOUNTED = frozenset({"member_of", "reports_to"})
"""Who is named in a team are seldom all of its people."""

_ANYTHING = frozenset({"anything", "something", "anyone", "anybody", "someone", "somebody"})
_PURPOSE = re.compile(
    r" to (?:run|work|function|operate|start|be up|do (?:its|their) (?:job|work))$"
)
_NO_NOUNS = HELPING | BEING | frozenset("of on to by for in with from at that which".split())  # noqa: SIM905 - words read best as words
_MODALS = frozenset("would will could can might may else also likely".split())  # noqa: SIM905 - words read best as words


@dataclass(slots=True)
class Forms:
    """Reads clauses; what a question says once holds for all of them."""

    refs: Refs = field(default_factory=Refs)
    closure: bool = False
    failing: str = ""
    alone: bool = True

    def read(self, tokens: list[str]) -> tuple[Intent, ...]:
        """Return what one clause asks for; nothing where it says more than is understood."""
        if not tokens:
            return ()
        plain = self._without_sorts(tokens)
        found = self._worded(" ".join(plain)) or self._breaking(plain) or self._turning_to(plain)
        for one in (tokens, plain):
            for form in (one, self._reduced(one)):
                found = found or self._asking(form) or self._yes_no(form) or self._bare(form)
        return found

    def _worded(self, text: str) -> tuple[Intent, ...]:
        text = _PURPOSE.sub("", text)
        for one in wordings():
            found = one.pattern.fullmatch(text)
            if found:
                way = Direction.OUT if one.out else Direction.IN
                return self._of(self.refs.at(found["name"]), Hop(_widened({one.kind}), way))
        return ()

    def _breaking(self, tokens: Sequence[str]) -> tuple[Intent, ...]:
        """Read ``what breaks`` of what fails."""
        if not self.failing or tokens[0] not in ASKING:
            return ()
        for sort, rest in _sorts(tokens):
            if " ".join(one for one in rest if one not in _MODALS | {"be"}) in BREAKING:
                hop = Hop(DEPENDING, Direction.IN)
                found = self._of(self.refs.at(self.failing), hop, sort=sort)
                return tuple(replace(one, closure=True) for one in found)
        return ()

    def _turning_to(self, tokens: Sequence[str]) -> tuple[Intent, ...]:
        """Read ``who do I call``, of what fails or is named."""
        named = [token for token in tokens if is_ref(token)]
        own = named[0] if named else self.failing
        if not own or tokens[0] not in ASKING | {"where"}:
            return ()
        for sort, rest in _sorts(tokens):
            if tokens[0] not in ("who", "whom", "where") and sort not in PEOPLE:
                continue
            said = " ".join(
                one
                for one in rest[2:]
                if not is_ref(one) and one not in TOPICS and one.rstrip("s") not in OUTAGE
            )
            asks = len(rest) > 2 and rest[0] in HELPING and rest[1] in ASKERS
            asks = asks or rest[:1] == ["to"]
            said = " ".join(rest[1:]) if rest[:1] == ["to"] else said
            if asks and said in (ESCALATING if tokens[0] == "where" else ESCALATING | TURNING_TO):
                plain = not self.failing and said in TURNING_TO
                kinds = {"escalates_to", "owned_by"} if plain else {"escalates_to"}
                return self._of(self.refs.at(own), Hop(frozenset(kinds), Direction.OUT), sort=sort)
            if self.failing and " ".join(rest) in BEING_TURNED_TO:
                return self._of(self.refs.at(own), Hop(frozenset({"escalates_to"}), Direction.OUT))
        return ()

    def _reduced(self, tokens: list[str]) -> list[str]:
        """Return a clause with placeholders in place of ``the team that owns §0``."""
        for _ in range(MOST_HOPS):
            shorter = self._reduced_once(tokens)
            if shorter is None:
                break
            tokens = shorter
        return tokens

    def _reduced_once(self, tokens: list[str]) -> list[str] | None:
        for at, token in enumerate(tokens):
            if not is_ref(token) or len(self.refs.at(token).hops) >= MOST_HOPS:
                continue
            for start, end, hop, sort in (*self._nouns(tokens, at), *self._clauses_at(tokens, at)):
                ref = self.refs.at(token)
                short = self.refs.put(Ref(ref.names, (*ref.hops, hop), sort))
                return [*tokens[:start], short, *tokens[end:]]
        return None

    def _nouns(self, tokens: Sequence[str], at: int) -> Iterator[tuple[int, int, Hop, str]]:
        """Yield ``owner of §0``, ``§0 's owner`` and ``§0 owner``."""
        for size in (3, 2, 1):
            first = at - 1 - size
            if first >= 0 and tokens[at - 1] in ("of", "for", "behind", "on"):
                found = nouns().get(" ".join(tokens[first : at - 1]))
                if found and (first == 0 or tokens[first - 1] not in ASKING):
                    yield first, at + 1, _hop(found, from_named=True), ""
            for gap in (2, 1):
                end = at + gap + size
                own = " ".join(tokens[at + gap : end])
                goes_on = tokens[end : end + 1] and tokens[end] in ("of", "for", "behind")
                is_own = tokens[at + 1] == "'s" if gap == 2 and end <= len(tokens) else not goes_on
                if end <= len(tokens) and is_own and own in nouns():
                    yield at, end, _hop(nouns()[own], from_named=True), ""

    def _clauses_at(self, tokens: Sequence[str], at: int) -> Iterator[tuple[int, int, Hop, str]]:
        """Yield ``team that owns §0``, ``team responsible for §0`` and ``services §0 needs``."""
        for size in range(1, 6):
            first = at - size
            if first > 0 and (said := self._said(tokens[first:at])):
                noun = first - 1
                is_relative = tokens[noun] in ("that", "which", "who") and noun > 0
                if is_relative and tokens[noun - 1] not in ASKING:
                    yield noun - 1, at + 1, _hop(said, from_named=False), tokens[noun - 1]
                elif tokens[noun] in PEOPLE | SORTS and noun and tokens[noun - 1] not in ASKING:
                    yield noun, at + 1, _hop(said, from_named=False), tokens[noun]
        for end in range(min(len(tokens), at + 5), at + 1, -1):
            said = self._done("", " ".join(tokens[at + 1 : end]))
            noun = at - 2 if at and tokens[at - 1] in ("that", "which") else at - 1
            is_noun = noun > 0 and tokens[noun] in PEOPLE | SORTS | ANY_SORT | {"what"}
            if said and is_noun and tokens[noun - 1] not in ASKING | {"many"}:
                yield noun, end, _hop(said, from_named=True), tokens[noun]

    def _said(self, tokens: Sequence[str]) -> tuple[Saying, ...]:
        """Return what a phrase before a name says, whoever its subject is."""
        phrase = " ".join(tokens)
        if tokens[0] in BEING:
            return states().get(" ".join(tokens[1:]), ())
        return verbs().get(phrase) or (states().get(phrase, ()) if len(tokens) > 1 else ())

    def _asking(self, tokens: Sequence[str]) -> tuple[Intent, ...]:
        """Read ``who owns §0``, ``what does §0 need`` and ``who is §0's owner``."""
        if tokens[0] in ("of", "on", "to", "by") and len(tokens) > 2 and tokens[1] in ASKING:
            tokens = [*tokens[1:], tokens[0]]
        is_count = tokens[:2] == ["how", "many"]
        if tokens[0] not in ASKING and not is_count:
            return ()
        own = ["which", *tokens[2:]] if is_count else tokens
        form = Form.COUNT if is_count else Form.NAMES
        if own[0].startswith("every") or own[1:2] == ["all"]:
            self.closure = True
        for sort, rest in _sorts(own):
            found = self._asked(own[0], sort, rest)
            kinds = [kind for one in found for kind in one.hops[-1].kinds]
            if is_count and any(kind in _UNCOUNTED for kind in kinds):
                return ()
            if found:
                return tuple(replace(one, form=form) for one in found)
        return ()

    def _asked(self, asking: str, sort: str, rest: Sequence[str]) -> tuple[Intent, ...]:
        if rest and rest[0] in ("that", "which") and asking.startswith("every"):
            rest = rest[1:]
        if not rest:
            return ()
        if is_ref(rest[-1]):
            own = self.refs.at(rest[-1])
            if len(rest) == 2 and rest[0] in BEING and own.hops:
                return self._of(own, sort=sort or own.sort)
            said = self._said(rest[:-1]) if len(rest) > 1 else ()
            if said and _is_asked_so(said, asking, sort):
                return self._of(own, _hop(said, from_named=False), sort=sort)
        helped = 1 if rest[0] in HELPING | BEING else 0
        if len(rest) <= helped or not is_ref(rest[helped]):
            return ()
        own, phrase = self.refs.at(rest[helped]), _PURPOSE.sub("", " ".join(rest[helped + 1 :]))
        if phrase == "have" and sort in nouns():
            return self._of(own, _hop(nouns()[sort], from_named=True))
        said = self._done(rest[0], phrase.removeprefix("being "))
        if said:
            return self._of(own, _hop(said, from_named=True), sort=sort)
        return ()

    def _done(self, helping: str, phrase: str) -> tuple[Saying, ...]:
        """Return what a phrase says of the name before it."""
        said = (states() if helping in BEING else verbs()).get(phrase, ())
        return tuple(one for one in said if not one.of_people)

    def _yes_no(self, tokens: Sequence[str]) -> tuple[Intent, ...]:
        """Read ``does §0 need §1``, ``is §0 part of §1`` and ``is §0 the owner of §1``."""
        if len(tokens) < 3 or tokens[0] not in HELPING | BEING:
            return ()
        if tokens[1] in _ANYTHING:
            return self._asked("who", "", tokens[2:])
        if tokens[-1] in _ANYTHING:
            return self._asked("who", "", tokens[:-1])
        if self.failing and is_ref(tokens[1]) and " ".join(tokens[2:]) in BREAKING:
            hop = Hop(DEPENDING, Direction.OUT)
            return self._whether(self.refs.at(tokens[1]), (hop,), self.refs.at(self.failing))
        if not (is_ref(tokens[1]) and is_ref(tokens[-1])):
            return ()
        one, other = self.refs.at(tokens[1]), self.refs.at(tokens[-1])
        if len(tokens) == 3:
            if bool(one.hops) == bool(other.hops):
                return ()
            end, start = (one, other) if other.hops else (other, one)
            return self._whether(start, start.hops, end)
        said = self._done(tokens[0], " ".join(tokens[2:-1]))
        if not said or (one.hops and other.hops):
            return ()
        hop = _hop(said, from_named=True)
        if one.hops or hop.direction is Direction.OUT:
            return self._whether(one, (*one.hops, hop), other) if not other.hops else ()
        return self._whether(other, (*other.hops, replace(hop, direction=Direction.OUT)), one)

    def _whether(self, start: Ref, hops: tuple[Hop, ...], end: Ref) -> tuple[Intent, ...]:
        closure = any(kind_of(kind).goes_on for hop in hops for kind in hop.kinds)
        return tuple(
            Intent(one, hops, Form.YES_NO, closure, other)
            for one in start.names
            for other in end.names
        )

    def _bare(self, tokens: Sequence[str]) -> tuple[Intent, ...]:
        """Read ``Service A's owner`` without any verb."""
        if len(tokens) > 1 and tokens[0] in ("all", "every"):
            self.closure, tokens = True, tokens[1:]
        if len(tokens) != 1 or not is_ref(tokens[0]) or not self.alone:
            return ()
        own = self.refs.at(tokens[0])
        return self._of(own, sort=own.sort) if own.hops else ()

    def _of(self, ref: Ref, *hops: Hop, sort: str = "") -> tuple[Intent, ...]:
        every = (*ref.hops, *hops)
        if not 0 < len(every) <= MOST_HOPS:
            return ()
        closure = self.closure and all(
            any(kind_of(kind).goes_on for kind in hop.kinds) for hop in every
        )
        return tuple(Intent(one, every, closure=closure, sort=sort) for one in ref.names)

    def _without_sorts(self, tokens: Sequence[str]) -> list[str]:
        """Drop a noun that stands beside a name: ``service §0``, ``§0 process``."""
        padded = ["", *tokens, ""]
        kept = []
        for at, token in enumerate(tokens, 1):
            follows = is_ref(padded[at - 1])
            leads = is_ref(padded[at + 1]) and padded[at - 1] not in ASKING | {""}
            if token not in SORTS or not (follows or leads):
                kept.append(token)
        return kept


def _sorts(tokens: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what may name what is asked for, and the words behind it."""
    for size in range(1 if tokens[0] in ("who", "whom", "where") else 3):
        noun, rest = tokens[1 : 1 + size], tokens[1 + size :]
        if not all(one.isalpha() and one not in _NO_NOUNS for one in noun):
            break
        sort = " ".join(noun)
        yield ("" if sort in ANY_SORT else sort), list(rest)


def _is_asked_so(said: Iterable[Saying], asking: str, sort: str) -> bool:
    """Whether somebody is asked for where somebody acts: what runs a thing is not who runs it."""
    is_somebody = asking in ("who", "whom", "anybody", "anyone") or sort in PEOPLE
    return is_somebody or not any(not one.from_source and kind_of(one.kind).people for one in said)


def _hop(said: Sequence[Saying], *, from_named: bool) -> Hop:
    """Return the way from a name, which is the subject of what is said or its object."""
    way = said[0].from_source
    kinds = {one.kind for one in said if one.from_source == way}
    return Hop(_widened(kinds), Direction.OUT if way == from_named else Direction.IN)


def _widened(kinds: Iterable[str]) -> frozenset[str]:
    own = frozenset(kinds)
    return own | DEPENDING if "depends_on" in own else own
