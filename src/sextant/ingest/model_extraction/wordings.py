"""In which words a sentence can say each kind of relation: those that patterns know, and more.

A pattern believes a phrase by itself, so it knows few. Here a model has read the sentence, and the
words only have to bear it out; up to two others may stand between those of a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sextant.ingest.extract.phrases import phrases_of

_MORE = {
    "depends_on": (
        "leans on; lean on; built on; builds on; based on; rests on; sits on; stands on; "
        "on top of; relying on; depending on; dependent on; reliant on; backed by; powered by; "
        "hinges on; need; require; dependency; dependencies"
    ),
    "owned_by": (
        "looked after by; cared for by; kept by; kept running by; in the hands of; "
        "responsibility of; supported by; taken care of by; belongs to; belong to; owners; "
        "maintainer; maintainers; on call"
    ),
    "escalates_to": (
        "page; paged; alerts; alert; contact; contacts; turn to; goes to; go to; raised with; "
        "raise with; notify; notifies; call; escalations"
    ),
    "part_of": "piece of; inside; within; lives in; belonging to; subsystem of; stage of; stage in",
    "calls": "calling; invoke; query; asks; hits; requests; talk to; sends to; posts to; polls",
    "uses": (
        "using; consume; read from; reads; write to; stores in; keeps in; saves in; draws on; "
        "draws from; pulls from; listens to; loads from; makes use of; kept in; stored in"
    ),
    "provides": "provide; expose; publish; serve; offers; offer; supplies; delivers; produces",
    "replaces": (
        "replace; takes the place of; took the place of; in place of; takes over from; "
        "took over from; succeeds; succeeded; successor to"
    ),
    "precedes": (
        "precede; feed; feeds into; leads into; hands to; hands off to; passes to; upstream of; "
        "before; ahead of; prior to"
    ),
    "fails_over_to": (
        "fail over to; failing over to; falls back on; fall back to; fall back on; switches to; "
        "switch to; backup; standby"
    ),
    "led_by": "managed by; run by; lead; leader; head; manager; boss",
    "reports_to": "report to; answers to; answer to",
    "member_of": "works for; work for; work in; works on; belongs to; joins; joined; part of",
    "causes": (
        "cause; causing; trigger; block; break; stop; leads to; lead to; led to; results in; "
        "resulted in; brings down; brought down; takes down; took down; delays; delayed; slows"
    ),
    "located_in": (
        "lives in; lives on; sits in; stands in; based in; housed in; kept in; stored in; "
        "stored on; placed in; located at; located on; running in; running on; run in; run on; "
        "deployed to; hosted by; hosted at; resides in; resides on; inside; location"
    ),
}
_MORE_BACKWARDS = {
    "depends_on": "underpins; supports; powers; underlies",
    "owned_by": (
        "own; maintain; operate; run; manage; manages; look after; keeps running; keep running; "
        "takes care of; take care of; cares for; in charge of; answers for; on call for; owner of; "
        "owners of; maintainer of; maintainers of"
    ),
    "escalates_to": "paged for; paged by; on call for; called for; escalated from",
    "part_of": "contain; include; including; composed of; made of; split into; components; parts",
    "calls": "polled by; hit by; called from; invoked from",
    "uses": "in use by; written by; filled by; listened to by",
    "provides": "offered by; supplied by; delivered by; produced by; comes from",
    "replaces": "replaced with; succeeded by; gave way to; makes way for; migrated to; moved to",
    "precedes": "after; waits for; downstream of; behind",
    "fails_over_to": (
        "takes over; take over; stands in for; backs up; backup for; backup of; standby for; "
        "standby of; replica of"
    ),
    "led_by": "lead; manage; manages; leader of; manager of; boss of",
    "reports_to": "manages; boss of",
    "member_of": "includes; consists of; made up of; members; staffed by; employs; comprises",
    "causes": (
        "results from; resulted from; result of; because of; came from; brought down by; "
        "taken down by; stopped by; delayed by; stems from; traced to"
    ),
    "located_in": "hosts; houses; home of; home to; contains; holds",
}
_BETWEEN = r"(?: \S+){0,2}? "


def told_in(text: str, kind: str) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield where words that have blanks around them can say a kind, and whether backwards."""
    pattern, backwards = _pattern(kind)
    for found in pattern.finditer(text):
        yield found, backwards[(found.lastindex or 1) - 1]


@cache
def _pattern(kind: str) -> tuple[re.Pattern[str], tuple[bool, ...]]:
    """Return all phrases of a kind, the longest first: who is ``owner of`` is no ``owner``."""
    phrases = {tuple(kind.split("_")): False}
    for table, backwards in ((_MORE_BACKWARDS, True), (_MORE, False)):
        more = table[kind].split(";") if kind in table else ()
        phrases |= {tuple(one.split()): backwards for one in more}
    phrases |= phrases_of(kind)
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    whole = "|".join(f"({_BETWEEN.join(phrase)})" for phrase in ordered)
    return re.compile(rf"(?<= )(?:{whole})(?= )"), tuple(phrases[one] for one in ordered)
