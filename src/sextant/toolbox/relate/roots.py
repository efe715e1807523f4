"""The tools of a session that were called for the request, not because another needs them."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.toolbox.relate.links import Places


def find_roots(called: Sequence[int], needs: Places) -> list[int]:
    """Return the tools of a session that no other one of it requires, over any number of steps.

    Of tools that require each other the first one that was called stays.
    """
    required = {own: _required(own, needs) for own in called}
    return [
        own
        for turn, own in enumerate(called)
        if not any(
            own in required[other] and (other not in required[own] or before < turn)
            for before, other in enumerate(called)
            if before != turn
        )
    ]


def _required(place: int, needs: Places) -> frozenset[int]:
    found, waiting = {place}, [place]
    for own in waiting:
        new = [need for need in needs.get(own, ()) if need not in found]
        found.update(new)
        waiting.extend(new)
    return frozenset(found)
