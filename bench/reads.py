"""What it costs to read from the embedded store, and whether it answers as brute force does."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from bench import corpus, reference
from bench.clock import Figures, memory, time_each
from bench.growth import SCOPE, open_at
from bench.real import three_words, without_common_words
from sextant.ports import Store
from sextant.query import AnyOf, EntitiesAny, Filter, Query, TagsAny
from sextant.types import OPERATOR, NameMode, Scope, Walk

TENTH, HUNDREDTH = TagsAny((corpus.TENTH,)), TagsAny((corpus.HUNDREDTH,))
_SEEDS = 200
_FILTER_ENTITIES = 50
_CLOSE = 1e-6
QUIET = "two hops, away from hubs"

Make = Callable[[str, corpus.Vectors], Query]
Ask = Callable[[Store, Any], Awaitable[object]]
Read = tuple[str, Ask, Sequence[Any]]


async def legs(root: str, size: int) -> Figures:
    """Time every kind of read: questions that are new to a store in use, and the same again."""
    answers = reference.load(root, size)
    asked = reference.load_queries(root, size)
    figures = {}
    for name, make in _searches(answers.documents).items():
        queries = [make(*pair) for pair in asked]
        figures[name] = await _twice(root, size, _search, queries)
    fresh = [Query(vector=vector, filter=unused(at)) for at, (_, vector) in enumerate(asked)]
    figures["vector, 10 % filter, a new one each time"] = await _twice(root, size, _search, fresh)
    for name, ask, items in _graph_reads(answers):
        figures[name] = await _twice(root, size, ask, items)
    store = await open_at(f"{root}/{size}")
    walks = [
        await store.graph.neighbours(SCOPE, [one], Walk(hops=2)) for one in quiet_seeds(answers)
    ]
    figures[QUIET]["links"] = sum(len(walk.links) for walk in walks) / max(1, len(walks))
    await store.admin.close()
    return figures


async def _twice(root: str, size: int, ask: Ask, items: Sequence[Any]) -> Figures:
    """Time one half of the questions in a store that has seen the other half, and once more."""
    store = await open_at(f"{root}/{size}")
    for item in items[1::2]:
        await ask(store, item)
    new = await time_each(lambda item: ask(store, item), items[::2])
    again = await time_each(lambda item: ask(store, item), items[::2])
    await store.admin.close()
    return again | {"new": new}


def _search(store: Store, query: Query) -> Awaitable[object]:
    return store.index.search(SCOPE, query)


def quiet_seeds(answers: reference.Answers) -> list[str]:
    """Draw entities away from hubs, each at most once."""
    quiet = answers.quiet
    return random.Random(answers.documents).sample(quiet, min(_SEEDS, len(quiet)))


def unused(number: int) -> Filter:
    """Return a filter that lets a tenth through and that nobody used before."""
    return AnyOf((TENTH, TagsAny((f"nothing has this tag {number}",))))


async def agreement(root: str, size: int) -> Figures:
    """Compare ids and scores with brute force, for every search that it has done."""
    store = await open_at(f"{root}/{size}")
    answers = reference.load(root, size)
    figures = {}
    for name, make in _searches(answers.documents).items():
        rankings = answers.rankings.get(name, [])
        found = []
        for pair, _ in zip(reference.load_queries(root, size), rankings, strict=False):
            matches = (await store.index.search(SCOPE, make(*pair))).matches
            found.append([(match.passage.chunk.id, match.score) for match in matches])
        if rankings:
            figures[name] = compare(found, rankings)
    await store.admin.close()
    return figures


def compare(found: Sequence[reference.Ranking], right: Sequence[reference.Ranking]) -> Figures:
    """Return the share of right ids found, of equal orders, and whether all scores are the same."""
    hits = [
        len({name for name, _ in own} & {name for name, _ in best})
        for own, best in zip(found, right, strict=True)
    ]
    orders = [
        [name for name, _ in own] == [name for name, _ in best]
        for own, best in zip(found, right, strict=True)
    ]
    apart = [
        abs(score - other)
        for own, best in zip(found, right, strict=True)
        for (_, score), (_, other) in zip(own, best, strict=False)
    ]
    wanted = sum(len(best) for best in right)
    return {
        "recall": sum(hits) / wanted if wanted else 1.0,
        "same_order": sum(orders) / len(orders),
        "same_scores": max(apart, default=0.0) < _CLOSE,
    }


def _searches(documents: int) -> dict[str, Make]:
    dice = random.Random(documents)
    some = EntitiesAny(tuple(_entities(dice, documents, _FILTER_ENTITIES)))

    def keyword(tree: Filter | None) -> Make:
        return lambda text, _: Query(text=text, filter=tree)

    def vector(tree: Filter | None) -> Make:
        return lambda _, vector: Query(vector=vector, filter=tree)

    return {
        "keyword": keyword(None),
        "keyword, no common words": lambda text, _: Query(without_common_words(text)),
        "keyword, three words": lambda text, _: Query(three_words(text)),
        "keyword, 10 % filter": keyword(TENTH),
        "vector": vector(None),
        "vector, 10 % filter": vector(TENTH),
        "vector, 1 % filter": vector(HUNDREDTH),
        "vector, 50 entities": vector(some),
        "hybrid": lambda text, vector: Query(text=text, vector=vector),
    }


def _entities(dice: random.Random, documents: int, count: int) -> list[str]:
    """Draw entities, but none of the most common twentieth."""
    known = corpus.entity_count(documents)
    drawn = dice.choices(range(known // 20, known), k=count)
    return [corpus.entity_id(number) for number in drawn]


def _graph_reads(answers: reference.Answers) -> list[Read]:
    dice = random.Random(answers.documents)
    known = corpus.entity_count(answers.documents)
    names = [corpus.entity(dice.randrange(known)).name for _ in range(_SEEDS)]
    misspelt = [name[:2] + name[3:] for name in names]
    walk = Walk(hops=2)

    def look_up(mode: NameMode) -> Ask:
        return lambda store, name: store.graph.lookup(SCOPE, [name], mode)

    def neighbours(store: Store, seed: str) -> Awaitable[object]:
        return store.graph.neighbours(SCOPE, [seed], walk)

    return [
        (QUIET, neighbours, quiet_seeds(answers)),
        ("two hops, any entity", neighbours, _entities(dice, answers.documents, _SEEDS)),
        ("two hops, greatest hub", neighbours, [corpus.entity_id(0)] * 40),
        ("name, exact", look_up(NameMode.EXACT), names),
        ("name, fuzzy", look_up(NameMode.FUZZY), misspelt),
    ]


async def opened(folder: str, started: float, document: str = "") -> Figures:
    """Open and answer a hybrid question in a process that was started for it at a known time."""
    vector = np.random.default_rng(1).standard_normal(corpus.WIDTH).astype(np.float32)
    cpu, wall = time.process_time(), time.time()
    store = await open_at(folder)
    await store.index.search(SCOPE, Query("Which film was released first?", vector))
    figures = {
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.time() - wall,
        "process_cpu_s": time.process_time(),
        "process_wall_s": time.time() - started,
    }
    operator = Scope(roles=frozenset({OPERATOR}))
    found = await store.truth.chunk_ids(operator, [document]) if document else [document]
    await store.admin.close()
    return figures | {"found": document in found}


async def resident(root: str, size: int) -> Figures:
    """Open, answer 200 mixed queries, and say how much memory that holds."""
    store = await open_at(f"{root}/{size}")
    for at, (text, vector) in enumerate(reference.load_queries(root, size)[:200]):
        query = Query(
            text="" if at % 3 == 1 else text,
            vector=None if at % 3 == 0 else vector,
            filter=(None, TENTH, None, HUNDREDTH)[at % 4],
        )
        await store.index.search(SCOPE, query)
    figures: Figures = dict(memory())
    await store.admin.close()
    return figures
