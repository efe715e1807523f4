"""Where sources disagree: which of them leads, and which one says otherwise.

The more reputable source leads, of equals the newer one; what the other says stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sextant.ask.evidence.again import quote_of
from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.marking.fit import MEASURED
from sextant.ask.evidence.marking.stance import Matter, Stance, are_worded_alike
from sextant.ask.evidence.read import Read
from sextant.ask.evidence.wording.force import in_force
from sextant.ask.reading.wants import Kind
from sextant.text.words import Words

_SINGLE = MEASURED | {Kind.YES_NO, Kind.PLACE, Kind.PERSON, Kind.NAME, Kind.ANYTHING}
"""What has one answer: of a list, two sources may each tell a part."""

_LEADING = 0.0
"""The least odds of a text that is told beside another one, or takes its place unless it is worded
like it."""

_BELIEVED = 0.5
"""What is worth less than this much of the better source's word is not repeated."""


def with_disagreements(
    wanted: Asked,
    claims: Sequence[Claim],
    reads: Sequence[Read],
    words: Words,
    claim_of: Callable[[Read], Claim],
) -> list[Claim]:
    """Let the better of two sources that disagree lead, and say behind it what the other says."""
    if wanted.part.goal.wants.kind not in _SINGLE:
        return list(claims)
    matter = Matter(wanted, words)
    stances = {
        quote_of(read).key: stance
        for read in reads
        if in_force(read.unit.text, read.before, wanted.day)
        and (stance := matter.stance_of(read, quote_of(read)))
    }
    worth = {read.unit.passage.document.id: read.worth for read in reads}
    dispute, kept, said = (
        _Dispute(matter, [*stances.values()], claim_of),
        list[Stance](),
        dict[str, Claim](),
    )
    for claim in claims:
        own = stances.get(claim.quotes[0].key)
        if claim.relations:
            known = worth.get(claim.quotes[0].passage.document.id, 1.0)
            own = matter.stance_of_claim(claim, known)
        if own is None:
            said.setdefault(claim.text, claim)
        elif not any(matter.contradict(own, one) for one in kept):
            for lead, its_claim in dispute.settle(replace(own, text=claim)):
                kept.append(lead)
                if its_claim.otherwise or its_claim.text not in said:
                    said[its_claim.text] = its_claim
    return list(said.values())


_Said = tuple[Stance, Claim]
"""Who leads, and what an answer says for it."""


@dataclass(frozen=True, slots=True)
class _Dispute:
    """All that sources say to a part, to find who contradicts whom."""

    matter: Matter
    stances: Sequence[Stance]
    claim_of: Callable[[Read], Claim]

    def settle(self, own: Stance) -> list[_Said]:
        """Return who is contradicted by nobody better, with what another one says instead.

        What is said otherwise stands behind the text that contradicts it most, which may be a
        further one.
        """
        if (lead := self._lead(own)) is not own:
            return [self._over(lead, own)]
        same = self._agreeing(own)
        rivals = [one for one in self._rivals(same) if _is_likely(one)]
        if not rivals:
            return [(own, self._claim(own))]
        other = max(rivals, key=lambda one: self.matter.likeness(same, one))
        lead = self._lead(other)
        if lead is other or lead.quote.key == own.quote.key:
            return [self._over(own, other)]
        return [(own, self._claim(own)), self._over(lead, other)]

    def _lead(self, own: Stance) -> Stance:
        """Return the likeliest of the better ones that contradict a text; itself if none does.

        Who leads by now gives way to a more reputable source alone, not to a newer equal.
        """
        lead = own
        while True:
            same = self._agreeing(lead)
            better = [one for one in self._rivals(same) if _may_lead(one, same)]
            if lead is own:
                better = [one for one in better if one.standing > lead.standing]
            else:
                better = [one for one in better if one.standing[0] > lead.standing[0]]
            if not better:
                return lead
            lead = max(better, key=lambda one: self.matter.likeness(same, one))

    def _agreeing(self, own: Stance) -> list[Stance]:
        """Return a text and all that give the same values."""
        return [own, *(one for one in self.stances if own.values and own.values <= one.values)]

    def _rivals(self, same: Sequence[Stance]) -> list[Stance]:
        """Return who contradicts the first of these, or another one without agreeing with it."""
        own, others = same[0], same[1:]
        return [
            one
            for one in self.stances
            if self.matter.contradict(own, one)
            or (
                one.document.id != own.document.id
                and not own.values <= one.values
                and any(self.matter.contradict(mine, one) for mine in others)
            )
        ]

    def _over(self, lead: Stance, other: Stance) -> _Said:
        """Return who leads, with what the other one says instead, if that is worth repeating."""
        claim, otherwise = self._claim(lead), None
        if other.worth >= _BELIEVED * lead.worth:
            told, ours = self._claim(other), lead.document.id
            quotes = tuple(one for one in told.quotes if one.passage.document.id != ours)
            otherwise = replace(told, quotes=quotes)
        return lead, replace(claim, otherwise=otherwise)

    def _claim(self, one: Stance) -> Claim:
        return one.text if isinstance(one.text, Claim) else self.claim_of(one.text)


def _may_lead(one: Stance, same: Sequence[Stance]) -> bool:
    """Whether a text is likely what is asked for, or is worded like one that is said."""
    return _is_likely(one) or any(are_worded_alike(one, mine) for mine in same)


def _is_likely(one: Stance) -> bool:
    return one.odds is None or one.odds >= _LEADING
