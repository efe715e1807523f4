"""The words that speak of relations, in all their forms. Knows kinds of relation, no grammar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sextant.ask.reading.tokens import ADVERBS, Token

IMPACT, CONTACT, NOTHING = "impact", "contact", ""
"""Not relations: what an outage does, whom people turn to, and what only looks like a relation."""


class Role(StrEnum):
    """How a phrase stands in a clause."""

    VERB = "verb"
    STATE = "state"
    NOUN = "noun"


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase speaks of. Backwards, its subject is the target of the relation.

    Of a noun, backwards means that the relation comes in to the entity whose noun it is.
    ``of_people`` counts only if people are asked for.
    """

    role: Role
    kinds: frozenset[str]
    backwards: bool = False
    participle: bool = False
    of_people: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase that a clause says, and the tokens from first up to last that say it."""

    phrase: Phrase
    first: int
    last: int
    text: str


_DEPENDS = "depends_on uses calls"
_VERBS = {
    _DEPENDS: (
        "depend on; depend upon; depend; rely on; rely upon; rely; require; need; build on; "
        "run without; work without; function without; operate without; cope without; do without; "
        "go without; start without; live without"
    ),
    "uses": (
        "use; consume; read from; receive from; get from; pull from; fetch from; write to; "
        "subscribe to; listen to; employ; leverage"
    ),
    "calls": "call; invoke; query; talk to; connect to; speak to; send requests to",
    "escalates_to": "escalate to; escalate; page",
    "part_of": "belong to; belong",
    "replaces": "replace; supersede; succeed; take over from; take the place of; deprecate",
    "precedes": (
        "precede; come before; run before; happen before; start before; feed into; feed; "
        "go before; hand over to; kick off; finish before; end before; complete before; "
        "be done before; be finished before"
    ),
    "fails_over_to": "fail over to; fail over; fall back to; fall back on; fall back; switch to",
    "reports_to": "report to",
    "member_of": "work in; work for; work on; sit in",
    "located_in": "run in; run on; live in; live on; reside in",
    "provides": "provide; expose; publish; serve; offer; emit",
    "causes precedes": "cause; trigger; lead to; result in",
    IMPACT: (
        "break; affect; impact; block; delay; stop; fail; halt; crash; suffer; degrade; happen; "
        "go down; go wrong; stop working; die; hurt; hit; stand still; interrupt; disrupt; "
        "take down; bring down; mean for"
    ),
    CONTACT: (
        "contact; phone; ring; notify; alert; ask; reach; inform; ping; wake; wake up; turn to; "
        "reach out to; go to; get hold of; speak with; talk with; talk; speak; tell"
    ),
    NOTHING: "needs to; use to; require to; run out; call for; report on; stop by; need to be",
}
_BACKWARDS = {
    "owned_by": "own",
    "escalates_to": (
        "own escalation; own escalations; own the escalation; own the escalations; "
        "handle escalation; handle escalations; handle the escalation; take escalations; "
        "take over escalation"
    ),
    "part_of": "contain; include; consist of; comprise; encompass",
    "precedes": "follow; come after; run after; happen after; start after; come next; go after",
    "fails_over_to owned_by": "take over",
    "fails_over_to": "back up; take over for; stand in for; step in for; substitute",
}
_OF_PEOPLE = {
    "owned_by": (
        "maintain; operate; run; look after; handle; take care of; support; repair; fix; develop; "
        "administer; be behind; care for; steward; oversee"
    ),
    "reports_to owned_by": "lead; manage; head; direct; supervise; chair",
}
_STATES = {
    _DEPENDS: "dependent on; reliant on; built on; based on; built on top of; running on",
    "part_of": "part of; component of; a module of; a step of; in scope of",
    "member_of": "member of; a member of; on the team of",
    "located_in": (
        "located in; located; hosted in; hosted on; hosted; deployed in; deployed on; deployed to; "
        "deployed; based in"
    ),
    "fails_over_to": "backed up by",
    "reports_to": "led by; headed by; managed by",
    NOTHING: (
        "used for; used to; needed to; required to; called for; known as; in use; supposed to; "
        "in need of"
    ),
}
_STATES_BACKWARDS = {
    "owned_by": (
        "responsible for; in charge of; accountable for; the owner of; on the hook for; "
        "takes care of"
    ),
    "escalates_to": (
        "responsible for escalation; responsible for escalations; in charge of escalation; "
        "on call for; on duty for; on-call for; oncall for; the escalation contact for"
    ),
    _DEPENDS: "downstream of",
    "precedes": "next after; the next step after",
}
_NOUNS = {
    "owned_by": "owner; owners; ownership; maintainer; maintainers; owning team; responsible team",
    "escalates_to": (
        "escalation; escalations; escalation contact; escalation owner; escalation path; "
        "escalation team; on-call; oncall; on call; point of contact; contact; contacts; "
        "contact person"
    ),
    _DEPENDS: "dependency; dependencies; prerequisite; prerequisites; upstream; upstreams",
    "calls": "callees",
    "replaces": "predecessor; predecessors",
    "fails_over_to": "backup; backups; failover; fallback; standby; replica; secondary; plan b",
    "reports_to": "leader; team lead; manager; boss; head of; team leader; superior",
    "located_in": "location; region; data center; data centre; hosting",
    "provides": "apis; endpoints; interfaces",
    "part_of": "parent; parent system",
}
_NOUNS_BACKWARDS = {
    _DEPENDS: (
        "dependents; dependent; dependants; consumer; consumers; clients; downstream; users; "
        "downstream services; downstream systems"
    ),
    "calls": "caller; callers",
    "replaces": "successor; successors; replacement; replacements",
    "member_of": "member; members; staff; headcount; people in; people on",
    "part_of": "parts; components; modules; steps; subsystems; pieces",
    "causes": "root cause; root causes; cause; causes; culprit",
    "reports_to": "direct reports",
    IMPACT: (
        "impact; impacts; consequence; consequences; effect; effects; blast radius; fallout; "
        "side effects; knock-on effects; ramifications; implications"
    ),
}
_IRREGULAR = {
    "break": "breaks broke broken breaking",
    "feed": "feeds fed fed feeding",
    "lead": "leads led led leading",
    "run": "runs ran run running",
    "read": "reads read read reading",
    "write": "writes wrote written writing",
    "come": "comes came come coming",
    "take": "takes took taken taking",
    "build": "builds built built building",
    "fall": "falls fell fallen falling",
    "sit": "sits sat sat sitting",
    "go": "goes went gone going",
    "send": "sends sent sent sending",
    "hurt": "hurts hurt hurt hurting",
    "hit": "hits hit hit hitting",
    "ring": "rings rang rung ringing",
    "wake": "wakes woke woken waking",
    "speak": "speaks spoke spoken speaking",
    "stand": "stands stood stood standing",
    "tell": "tells told told telling",
    "be": "is was been being",
    "mean": "means meant meant meaning",
    "bring": "brings brought brought bringing",
    "get": "gets got got getting",
    "stop": "stops stopped stopped stopping",
    "die": "dies died died dying",
    "emit": "emits emitted emitted emitting",
    "ping": "pings pinged pinged pinging",
}


def _forms(verb: str) -> Iterator[tuple[str, bool]]:
    """Yield the forms of a verb, and whether each may be a participle."""
    yield verb, False
    if verb in _IRREGULAR:
        yield from zip(_IRREGULAR[verb].split(), (False, False, True, False), strict=True)
        return
    stem = verb[:-1] if verb.endswith("e") else verb
    consonant_y = verb.endswith("y") and verb[-2] not in "aeiou"
    sibilant = verb.endswith(("s", "sh", "ch", "x", "z"))
    yield (f"{verb[:-1]}ies" if consonant_y else f"{verb}es" if sibilant else f"{verb}s"), False
    yield (f"{verb[:-1]}ied" if consonant_y else f"{stem}ed"), True
    yield f"{stem}ing", False


_Index = dict[str, dict[tuple[str, ...], Phrase]]


def _put(index: _Index, words: Sequence[str], phrase: Phrase) -> None:
    index.setdefault(words[0], {}).setdefault(tuple(words[1:]), phrase)


def _split(said: Mapping[str, str]) -> Iterator[tuple[frozenset[str], list[str]]]:
    for kinds, phrases in said.items():
        for phrase in phrases.split(";"):
            yield frozenset(kinds.split()), phrase.split()


def _index() -> _Index:
    index: _Index = {}
    for role, said, backwards in (
        (Role.STATE, _STATES, False),
        (Role.STATE, _STATES_BACKWARDS, True),
        (Role.NOUN, _NOUNS, False),
        (Role.NOUN, _NOUNS_BACKWARDS, True),
    ):
        for kinds, words in _split(said):
            _put(index, words, Phrase(role, kinds, backwards))
    for said, backwards, of_people in (
        (_VERBS, False, False),
        (_BACKWARDS, True, False),
        (_OF_PEOPLE, True, True),
    ):
        for kinds, words in _split(said):
            for form, participle in _forms(words[0]):
                phrase = Phrase(Role.VERB, kinds, backwards, participle, of_people)
                _put(index, [form, *words[1:]], phrase)
    return index


_INDEX = _index()
_LEMMAS = sorted(
    {words[0] for said in (_VERBS, _BACKWARDS, _OF_PEOPLE) for _, words in _split(said)}
)
VERBS = frozenset(_LEMMAS)
VERB_FORMS = frozenset(form for verb in _LEMMAS for form, _ in _forms(verb)) - VERBS
"""Verbs, which are often nouns as well, and their other forms, which seldom are."""

_LONGEST = 4
"""Words of the longest phrase, less its first."""


def phrases_in(tokens: Sequence[Token]) -> tuple[Said, ...]:
    """Return the phrases that a clause says, the longest at each place, in order."""
    found: list[Said] = []
    at = 0
    while at < len(tokens):
        said = _phrase_at(tokens, at)
        if said:
            found.append(said)
        at = said.last if said else at + 1
    return tuple(found)


def _phrase_at(tokens: Sequence[Token], at: int) -> Said | None:
    options = _INDEX.get(tokens[at].low)
    if not options:
        return None
    best = Said(options[()], at, at + 1, tokens[at].low) if () in options else None
    words: list[str] = []
    for place in range(at + 1, min(len(tokens), at + 1 + 2 * _LONGEST)):
        if tokens[place].low in ADVERBS and (*words, tokens[place].low) not in options:
            continue
        words.append(tokens[place].low)
        phrase = options.get(tuple(words))
        if phrase:
            best = Said(phrase, at, place + 1, " ".join([tokens[at].low, *words]))
        if len(words) == _LONGEST:
            break
    return best
