"""In which order tools are used: what is needed first, then what comes first, then as given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def order_places(ranked: Sequence[int], *before: Mapping[int, Collection[int]]) -> list[int]:
    """Return places so that each comes after those that are before it, else as they are given.

    Where that leads in a circle, the rules that were given first hold.
    """
    earlier: dict[int, set[int]] = {own: set() for own in ranked}
    for rule in before:
        for own in ranked:
            for other in rule.get(own, ()):
                if other in earlier and not _leads(earlier, other, own):
                    earlier[own].add(other)
    ordered: list[int] = []
    waiting = list(ranked)
    while waiting:
        ready = next(own for own in waiting if earlier[own].issubset(ordered))
        ordered.append(ready)
        waiting.remove(ready)
    return ordered


def _leads(earlier: Mapping[int, set[int]], place: int, to: int) -> bool:
    """Whether a place already comes after another one, over any number of steps."""
    seen, waiting = {place}, [place]
    for own in waiting:
        new = earlier[own] - seen
        seen |= new
        waiting.extend(new)
    return to in seen
