"""The numbers that scores, blocks and verdicts go by, as bench/fit_answers.py wrote them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Fitted:
    """What each sign counts for: of a passage, and of an answer with and without odds."""

    passage: Mapping[str, float]
    read: Mapping[str, float]
    unread: Mapping[str, float]


@cache
def fitted() -> Fitted:
    """Return the fitted numbers that come with the package."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    return Fitted(**json.loads(text))
