"""A walk from a question's names and passages over who is mentioned where. Knows no text.

It is a personalised PageRank, cut short: mass goes from entities to chunks and back, and every
further round counts for less.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sextant.retrieval.tuning import SHIPPED, Tuning
from sextant.types import Web

Mass: TypeAlias = NDArray[np.float64]

_ALL_ALIKE: Mapping[str, float] = MappingProxyType({})


def walk(
    web: Web,
    entities: Mapping[str, float],
    chunks: Mapping[str, float],
    pulls: Mapping[str, float] = _ALL_ALIKE,
    tuning: Tuning = SHIPPED,
) -> Mass:
    """Return how much of what starts at these entities and chunks reaches each chunk of the web.

    Of several passages about an entity, each gets its part by its pull; one without has a pull
    of 1, as little as any.
    """
    place = {name: at for at, name in enumerate(web.chunk_ids)}
    seeds = _laid_out(entities, web.entities, np.zeros(len(web.mentions)))
    pull = _laid_out(pulls, place, np.ones(len(place)))
    to_chunk, to_entity = _shares(web, pull, tuning)
    start = _laid_out(chunks, place, np.zeros(len(place)))
    start += np.bincount(web.chunk, to_chunk * seeds[web.entity], len(start))
    held = start
    for _ in range(tuning.rounds):
        met = np.bincount(web.entity, to_entity * held[web.chunk], len(seeds))
        passed = np.bincount(web.chunk, to_chunk * met[web.entity], len(start))
        held = start + tuning.further * passed
    return held


def _laid_out(values: Mapping[str, float], places: Mapping[str, int], row: Mass) -> Mass:
    for name, value in values.items():
        if name in places:
            row[places[name]] = value
    return row


def _shares(web: Web, pull: Mass, tuning: Tuning) -> tuple[Mass, Mass]:
    """Return what each pair passes on of its entity to its chunk, and of its chunk to its entity.

    An entity is shared out among all chunks that there are, so what leads out of the web is lost.
    """
    others = web.mentions - web.abouts
    kept = np.where(web.abouts > 0, np.where(others > 0, tuning.about, 1.0), 0.0)
    drawn = np.where(web.about, pull[web.chunk], 1.0)
    whole = web.abouts + np.bincount(web.entity, drawn - 1.0, len(kept))
    by_about = kept / np.maximum(1.0, whole)
    by_mention = (1.0 - kept) / np.maximum(1, others)
    to_chunk = drawn * np.where(web.about, by_about[web.entity], by_mention[web.entity])
    weight = np.where(web.abouts > 0, 1.0, tuning.untold)[web.entity]
    said = np.bincount(web.chunk, weight, len(pull))
    return to_chunk, weight / said[web.chunk]
