"""From the words that people said to what documents earned: one after the other, in their order.

The latest word of each user on each subject counts, so that any word can be taken back. All who
have no name share one voice. The same words give the same standing, however they are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sextant.ports import Recall
from sextant.retrieval.feedback.earned import Leads, Leaning, Standing, Tally
from sextant.retrieval.feedback.opinions import SHOWN, Opinion, document_of
from sextant.retrieval.feedback.shown import read
from sextant.types import Feedback, Scope

_PAGE = 1_000
_MOST = 100_000
_TENANTS = 1_000
"""Of so many tenants it is known what their people said, without reading it again."""

_SIGNS: Mapping[str, int] = {Opinion.HELPFUL: 1, Opinion.UNHELPFUL: -1, Opinion.WITHDRAWN: 0}


@dataclass(frozen=True, slots=True)
class _Word:
    """What a user says of a subject now, and how far the source was ahead when they said it."""

    sign: int = 0
    leads: Leads | None = None


class Folded:
    """A tenant's words so far. Reads on from the last number; of too many, the oldest go."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._words: dict[tuple[str, str], _Word] = {}
        self._voices: dict[str, Counter[str]] = {}
        self._tallies: dict[str, Tally] = {}
        self._leanings: dict[str, Leaning] = {}
        self._standing = Standing()

    async def standing(self, records: Recall, scope: Scope) -> Standing:
        """Return what all words so far have come to."""
        while len(page := await records.feedback(scope, self._standing.number, _PAGE)) == _PAGE:
            self.fold(page)
        return self.fold(page)

    def fold(self, items: Iterable[Feedback]) -> Standing:
        """Take in what is new of these; another task may have folded some of them meanwhile."""
        number = self._standing.number
        new = [item for item in items if item.number > number]
        for item in new:
            self._hear(item)
        if new:
            self._standing = Standing(
                new[-1].number, dict(self._tallies), leanings=dict(self._leanings)
            )
        return self._standing

    def _hear(self, item: Feedback) -> None:
        subject = item.subject.removeprefix(SHOWN)
        if not document_of(subject):
            return
        known = self._words.pop((item.user, subject), _Word())
        if item.subject.startswith(SHOWN):
            word = replace(known, leads=read(item.verdict))
        else:
            word = replace(known, sign=_SIGNS.get(item.verdict, known.sign))
            word = word if word.sign else _Word()
        self._change(item.user, subject, known, word)
        if word != _Word():
            self._words[item.user, subject] = word
        if len(self._words) > self._most:
            user, oldest = next(iter(self._words))
            self._change(user, oldest, self._words.pop((user, oldest)), _Word())

    def _change(self, user: str, subject: str, old: _Word, new: _Word) -> None:
        """Let a word stand in place of another."""
        self._vote(document_of(subject), user, new.sign - old.sign)
        self._lean(user, old, -1)
        self._lean(user, new, 1)

    def _vote(self, document: str, user: str, step: int) -> None:
        """Move a user's voice on a document; whatever they said of it, it is one voice."""
        if not step:
            return
        voices = self._voices.setdefault(document, Counter())
        tally = self._tallies.get(document, Tally())
        tally = _counted(tally, voices[user], -1)
        voices[user] += step
        tally = _counted(tally, voices[user], 1)
        if not voices[user]:
            del voices[user]
        self._tallies[document] = tally
        if not voices:
            del self._voices[document], self._tallies[document]

    def _lean(self, user: str, word: _Word, times: int) -> None:
        """Add a word to where a user leans, or take it away; whole numbers come out even."""
        if not user or not word.sign or word.leads is None:
            return
        leaning = self._leanings.pop(user, Leaning())
        moved = [a + times * word.sign * b for a, b in zip(leaning.leads, word.leads, strict=True)]
        words = leaning.words + times
        if words:
            self._leanings[user] = Leaning((moved[0], moved[1], moved[2], moved[3]), words)


def folded_of(known: dict[str, Folded], tenant: str) -> Folded:
    """Return what a tenant's people said so far; it is read on from there."""
    folded = known.setdefault(tenant, Folded())
    if len(known) > _TENANTS:
        del known[next(iter(known))]
    return folded


def _counted(tally: Tally, voice: int, times: int) -> Tally:
    if voice > 0:
        return Tally(tally.helpful + times, tally.unhelpful)
    if voice < 0:
        return Tally(tally.helpful, tally.unhelpful + times)
    return tally
