"""The numbers that finding passages hangs on. Knows what each is for, not how well it does.

They were fitted on four public sets; ``bench/tune.py`` varies them, and scores each set with what
the others would have chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """One setting of all of them, for every set and every store."""

    nearness: float = 0.7
    """What the cosine counts for beside the keyword score, taken as a share of the best."""

    steepness: float = 7.0
    """What likeness counts for beside the logarithm of what a walk brought."""

    floor: float = 3e-4
    """What a passage has that no walk reached."""

    pull_steepness: float = 20.0
    """How much more of a walk a passage draws that is more like the question."""

    by_names: float = 0.9
    by_likeness: float = 0.1
    by_evidence: float = 0.05
    """How much of a walk starts at the names in the question, as far as they are sure; at the
    passages most like it; and at those that the graph names as evidence."""

    rounds: int = 3
    further: float = 0.5
    """What a passage counts for that is one round further away."""

    about: float = 0.9
    """How much of an entity goes to the passages about it; the rest to those that mention it."""

    untold: float = 0.3
    """What a mention counts for of somebody whom no passage is about, beside one of somebody
    known."""

    depth: int = 50
    seeds: int = 20
    named: int = 20
    """How many passages are taken from a search and from a walk; how many of them a walk starts
    at; and how many of those that mention somebody whom too many mention."""

    @property
    def lowest(self) -> float:
        """What the logarithm of nothing brought by a walk is taken for."""
        return math.log(self.floor)

    @property
    def span(self) -> float:
        """How far the best passage lies above one that is not alike and that no walk reached."""
        return self.steepness + math.log1p(self.floor) - self.lowest


SHIPPED = Tuning()
