"""From a ranking to the tools that are taken: each with all that it needs, none against another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sextant.toolbox.relate.closure import Barred, Closure, Share, close_over
from sextant.toolbox.relate.links import Links
from sextant.types import LeftOut, LeftOutBecause

Cost = Callable[[int], int]
"""How many tokens the shortest form of a tool takes."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many tools there is room for, and how many tokens; None is any number."""

    tools: int
    tokens: int | None = None


@dataclass(slots=True)
class Picked:
    """What is taken, best first, who needs each, and what was left out on the way."""

    places: list[int] = field(default_factory=list)
    needed_by: dict[int, list[int]] = field(default_factory=dict)
    instead_of: dict[int, int] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    tokens: int = 0

    @property
    def needs(self) -> dict[int, list[int]]:
        """What was taken for each, be it the tool that it requires or one that stands in for it."""
        found: dict[int, list[int]] = {}
        for own, by in self.needed_by.items():
            for one in by:
                found.setdefault(one, []).append(own)
        return found


@dataclass(frozen=True, slots=True)
class Picker:
    """The rules of one request: who may be taken, what there is room for, what each costs."""

    ids: Sequence[str]
    links: Links
    barred: Barred
    room: Room
    cost: Cost
    share: Share

    def pick(self, ranking: Iterable[int]) -> Picked:
        """Take tools in the order of a ranking, each with its closure, while there is room."""
        picked = Picked()
        for place in ranking:
            if len(picked.places) >= self.room.tools:
                break
            if place not in picked.needed_by and place not in picked.places:
                self._consider(place, picked)
        self._warn(picked)
        return picked

    def _consider(self, place: int, picked: Picked) -> None:
        closure = close_over(place, self.links, self.barred, self.share)
        because, reason = self._problem(place, closure, picked)
        if because is not None:
            picked.left_out.append(LeftOut(self.ids[place], because, reason))
            return
        head = closure.places[0]
        if head != place:
            because, reason = self._yields(place, head)
            picked.left_out.append(LeftOut(self.ids[place], because, reason))
        for own, by in closure.needed_by.items():
            picked.needed_by.setdefault(own, []).append(by)
        new = self._new(closure, picked)
        picked.places += new
        picked.tokens += sum(map(self.cost, new)) if self.room.tokens is not None else 0
        picked.instead_of.update(closure.instead_of)

    def _problem(
        self, place: int, closure: Closure, picked: Picked
    ) -> tuple[LeftOutBecause | None, str]:
        """Return why a tool cannot be taken with what it needs, in words."""
        if closure.missing is not None:
            return self._missing(place, closure)
        new = self._new(closure, picked)
        rival = self._rival(closure, [*picked.places, *new])
        if rival:
            return LeftOutBecause.CONFLICT, f"{rival} It must not be used together with it."
        if picked.places and len(picked.places) + len(new) > self.room.tools:
            return LeftOutBecause.COUNT, f"With what it needs it is {len(new)} tools; fewer fit."
        if self.room.tokens is not None:
            tokens, left = sum(map(self.cost, new)), self.room.tokens - picked.tokens
            if tokens > left:
                return LeftOutBecause.BUDGET, f"It needs {tokens} tokens; {left} are left."
        return None, ""

    def _missing(self, place: int, closure: Closure) -> tuple[LeftOutBecause | None, str]:
        own = closure.missing
        because = closure.because or LeftOutBecause.FORBIDDEN
        if own is None or own == place:
            return because, _OWN.get(because, "It needs a tool that may not be used here.")
        if own in self.links.hidden:
            return because, "It needs a tool that may not be used here."
        return because, f"It needs {self.ids[own]}, which is {because.value}."

    def _rival(self, closure: Closure, taken: Sequence[int]) -> str:
        for own in closure.places:
            for other in taken:
                if other in self.links.exclusive.get(own, ()):
                    return f"{self.ids[own]} excludes {self.ids[other]}."
        return ""

    def _yields(self, place: int, head: int) -> tuple[LeftOutBecause, str]:
        if self.barred(place) is LeftOutBecause.UNAVAILABLE:
            return LeftOutBecause.UNAVAILABLE, f"{self.ids[head]} stands in for it."
        return LeftOutBecause.REPLACED, f"{self.ids[head]} replaces it."

    def _new(self, closure: Closure, picked: Picked) -> list[int]:
        return [own for own in closure.places if own not in picked.places]

    def _warn(self, picked: Picked) -> None:
        for own, place in picked.instead_of.items():
            _, reason = self._yields(place, own)
            picked.warnings.append(f"{self.ids[place]}: {reason}")
        for own in picked.places:
            if own in self.links.successors and own not in picked.instead_of:
                newer = self.ids[self.links.successors[own][0]]
                picked.warnings.append(
                    f"{self.ids[own]} is deprecated; {newer} replaces it and cannot be used here."
                )
            for name in self.links.unknown.get(own, ()):
                picked.warnings.append(
                    f"{self.ids[own]} needs {name}, which is not in the catalogue."
                )


_OWN = {
    LeftOutBecause.EXCLUDED: "The request excludes it.",
    LeftOutBecause.UNAVAILABLE: "It is unavailable, and nothing that can be used stands in for it.",
    LeftOutBecause.FORBIDDEN: "It needs a tool that may not be used here.",
}
