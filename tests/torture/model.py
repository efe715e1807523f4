"""What writers do, by seed and number, and a plain model of what a store must hold afterwards."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.definitions import combine
from sextant.stores.dump import dump_lines, record_lines
from sextant.stores.sqlite.store import open_store
from sextant.types import (
    OPERATOR,
    Append,
    Change,
    Chunk,
    Definition,
    Document,
    EmbedderIdentity,
    Entity,
    Feedback,
    Put,
    Relation,
    Remove,
    Scope,
    Thread,
    ThreadEntry,
)

ALL = Scope(roles=frozenset({OPERATOR}))
FLUSH_CHUNKS = 20
WORDS = ("anchor", "beacon", "cable", "deck", "engine", "flag", "gale", "harbour", "inlet", "jetty")
_WIDTH = 16
_DOCUMENTS = 40
_KEPT = 7
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Write:
    """Put and remove documents in one unit."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """Add to counters."""

    increments: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Save:
    """Save a thread over the version that is there."""

    thread_id: str
    state: str


@dataclass(frozen=True, slots=True)
class Say:
    """Append feedback."""

    items: tuple[Feedback, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """Append to a thread, of which only the last entries are kept."""

    thread_id: str
    entries: tuple[ThreadEntry, ...]


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Derive all arrays anew, which changes nothing that can be seen."""


Operation = Write | Count | Save | Say | Talk | Rebuild


async def open_here(folder: Path, flush_chunks: int = FLUSH_CHUNKS) -> Store:
    """Open a store that writes segments often."""
    settings = Settings(sqlite=SqliteSettings(flush_chunks=flush_chunks))
    return await open_store(str(folder), settings, EmbedderIdentity("tiny:16", _WIDTH))


def operation(seed: int, writer: str, number: int) -> Operation:
    """Return what a writer does at a number; another writer's is about other documents."""
    rng = random.Random(f"{seed}/{writer}/{number}")
    kind = rng.choices(["write", "count", "save", "say", "talk", "rebuild"], [65, 10, 10, 9, 5, 1])[
        0
    ]
    if kind == "write":
        chosen = rng.sample(range(_DOCUMENTS), rng.choice([1, 1, 1, 2, 3]))
        return Write(tuple(_change(rng, f"{writer}-{at}", number) for at in chosen))
    if kind == "count":
        step = rng.randint(1, 9)
        return Count({"shared": step, f"{writer}-{rng.randrange(3)}": step})
    if kind == "save":
        return Save(f"{writer}-{rng.randrange(4)}", f"state {number} " * rng.randint(1, 300))
    if kind == "say":
        comments = [f"{number}.{at}" for at in range(rng.randint(1, 3))]
        return Say(tuple(Feedback("answer", "good", writer, comment) for comment in comments))
    if kind == "talk":
        bodies = [f'"{number}.{at} {"x" * rng.randrange(2_000)}"' for at in range(2)]
        said = tuple(ThreadEntry("user", body, _BEGINNING) for body in bodies)
        return Talk(f"{writer}-talk-{rng.randrange(2)}", said)
    return Rebuild()


async def version_of(store: Store, act: Operation) -> int:
    """Return the version that a save has to be about."""
    if not isinstance(act, Save):
        return 0
    found = await store.records.threads(ALL, [act.thread_id])
    return found.get(act.thread_id, Thread(act.thread_id)).version


async def perform(store: Store, act: Operation, version: int) -> int:
    """Do it, and return the number that the store gave for it."""
    match act:
        case Write(changes):
            return (await store.truth.write(ALL, changes)).commit
        case Count(increments):
            await store.records.count(ALL, increments)
            return 0
        case Save(thread_id, state):
            return (await store.records.save_thread(ALL, Thread(thread_id, state, version))).version
        case Say(items):
            return await store.records.append_feedback(ALL, items)
        case Talk(thread_id, entries):
            await store.records.append_entries(ALL, [Append(thread_id, entries, keep=_KEPT)])
            return 0
        case Rebuild():
            await store.admin.rebuild(ALL)
            return 0


@dataclass(slots=True)
class Model:
    """What the store must hold."""

    documents: dict[str, Put] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    threads: dict[str, Thread] = field(default_factory=dict)
    said: list[Feedback] = field(default_factory=list)
    entries: dict[str, tuple[ThreadEntry, ...]] = field(default_factory=dict)

    def copy(self) -> Model:
        """Return a model that can go its own way."""
        dicts = (dict(self.documents), dict(self.counters), dict(self.threads))
        return Model(*dicts, [*self.said], dict(self.entries))

    def apply(self, act: Operation) -> None:
        """Obey."""
        match act:
            case Write(changes):
                for change in changes:
                    if isinstance(change, Remove):
                        self.documents.pop(change.document_id, None)
                    else:
                        self.documents[change.document.id] = change
            case Count(increments):
                for name, step in increments.items():
                    self.counters[name] = self.counters.get(name, 0) + step
            case Save(thread_id, state):
                self.threads[thread_id] = Thread(thread_id, state, self.version(thread_id) + 1)
            case Say(items):
                self.said += items
            case Talk(thread_id, entries):
                version = self.version(thread_id) + 1
                last = len(entries) * (version - 1)
                added = (replace(one, number=last + at) for at, one in enumerate(entries, 1))
                self.entries[thread_id] = (*self.entries.get(thread_id, ()), *added)[-_KEPT:]
                self.threads[thread_id] = Thread(thread_id, "", version)
            case Rebuild():
                pass

    def version(self, thread_id: str) -> int:
        """Return the version of a thread."""
        return self.threads.get(thread_id, Thread(thread_id)).version

    def lines(self) -> list[str]:
        """Return the lines that ``observe`` must find."""
        units = [_as_stored(put) for put in self.documents.values()]
        threads = {"": self.threads.values()} if self.threads else {}
        entries = (("", name, one) for name, own in sorted(self.entries.items()) for one in own)
        return [
            *dump_lines(units, _entities(units), _relations(units)),
            *record_lines(self.counters, threads, entries, []),
            *_said(self.said),
        ]


async def observe(store: Store) -> list[str]:
    """Return all that a store holds; feedback by user, since writers append side by side."""
    lines = [line async for line in store.admin.dump(ALL) if not line.startswith('{"feedback":')]
    return [*lines, *_said(await store.records.feedback(ALL, 0, 10_000))]


async def wrong_searches(store: Store, put: Put) -> list[str]:
    """Say how a search for a word that only this document's chunks have goes wrong."""
    word = mark(put.document.id, revision(put.document))
    found = (await store.index.search(ALL, Query(word, k=100))).matches
    ids = sorted(match.passage.chunk.id for match in found)
    if ids != sorted(chunk.id for chunk in put.chunks):
        return [f"The word {word} of {put.document.id} is found in {ids}."]
    return [
        problem for match in found for problem in torn(match.passage.document, match.passage.chunk)
    ]


def torn(document: Document, chunk: Chunk) -> list[str]:
    """Say whether a chunk is not of the version of the document that it came with."""
    word = mark(document.id, revision(document))
    return [] if word in chunk.text.split() else [f"{chunk.id} is of another version than {word}."]


def mark(document_id: str, number: int) -> str:
    """Return a word that stands in every chunk of one version of one document, and nowhere else."""
    return f"q{document_id.replace('-', 'x')}v{number}q"


def revision(document: Document) -> int:
    """Return the number of the operation that wrote a document."""
    return int(document.metadata["revision"])


def make_put(rng: random.Random, document_id: str, number: int, chunks: int) -> Put:
    """Return a document with all that one can bring."""
    document = Document(
        document_id,
        title=f"{document_id} {rng.choice(WORDS)}",
        source_type=rng.choice(["guide", "runbook"]),
        tags=frozenset(rng.sample(WORDS, 2)),
        personas=frozenset(rng.sample(["crew", "captain"], rng.choice([0, 0, 1]))),
        modified=_BEGINNING + timedelta(minutes=number),
        reputation=rng.choice([0.25, 0.5, 0.75]),
        metadata={"revision": str(number)},
    )
    word = mark(document_id, number)
    passages = tuple(_chunk(rng, f"{document_id}#{at}", word) for at in range(chunks))
    vectors = _vectors(rng, chunks) if rng.random() < 0.8 else None
    entities = tuple(_entity(rng, at) for at in rng.sample(range(20), 3))
    relations = tuple(_relation(rng, passages) for _ in range(rng.randrange(4)))
    return Put(document, passages, entities, relations, vectors, f"{document_id}@{number}")


def _change(rng: random.Random, document_id: str, number: int) -> Change:
    if rng.random() < 0.2:
        return Remove(document_id)
    return make_put(rng, document_id, number, rng.randint(1, 6))


def _chunk(rng: random.Random, chunk_id: str, word: str) -> Chunk:
    text = " ".join([*rng.choices(WORDS, k=rng.randint(5, 30)), word])
    mentions = tuple(f"e{at}" for at in rng.sample(range(20), rng.randrange(3)))
    return Chunk(chunk_id, text, 0, len(text), (rng.choice(WORDS),), None, mentions)


def _entity(rng: random.Random, at: int) -> Entity:
    return Entity(f"e{at}", f"Entity {at} {rng.choice(WORDS)}", rng.choice(["ship", "port"]))


def _relation(rng: random.Random, passages: tuple[Chunk, ...]) -> Relation:
    source, target = rng.sample(range(20), 2)
    evidence = rng.sample([chunk.id for chunk in passages], rng.randint(0, min(2, len(passages))))
    quarter, weight = rng.randint(1, 4) / 4, rng.randint(1, 8) / 4
    kind = rng.choice(["near", "part_of"])
    return Relation(f"e{source}", f"e{target}", kind, quarter, weight, tuple(evidence))


def _vectors(rng: random.Random, rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return vectors whose length is 1 to the last bit, so that they are stored as they are."""
    vectors = np.zeros((rows, _WIDTH), np.float32)
    for row in vectors:
        row[rng.sample(range(_WIDTH), 4)] = [rng.choice([-0.5, 0.5]) for _ in range(4)]
    return vectors


def _as_stored(put: Put) -> Put:
    """Return a unit as a store hands it out: entities in order, one relation for each evidence."""
    spread = [
        replace(relation, evidence=relation.evidence[at : at + 1])
        for relation in put.relations
        for at in range(max(1, len(relation.evidence)))
    ]
    entities = tuple(sorted(put.entities, key=lambda entity: entity.id))
    return replace(put, entities=entities, relations=tuple(spread))


def _entities(units: list[Put]) -> Iterator[Entity]:
    definitions: dict[str, list[Definition]] = defaultdict(list)
    for unit in units:
        for entity in unit.entities:
            said = Definition(entity, unit.document.id, unit.document.reputation)
            definitions[entity.id].append(said)
    return (combine(own) for own in definitions.values())


def _relations(units: list[Put]) -> Iterator[Relation]:
    edges: dict[tuple[str, str, str], list[Relation]] = defaultdict(list)
    for unit in units:
        for relation in unit.relations:
            edges[relation.source, relation.target, relation.kind].append(relation)
    for key, own in edges.items():
        evidence = tuple(sorted({chunk_id for one in own for chunk_id in one.evidence}))
        confidence, weight = max(one.confidence for one in own), sum(one.weight for one in own)
        yield Relation(*key, confidence, weight, evidence, len(own))


def _said(items: Sequence[Feedback]) -> list[str]:
    by_user = sorted(items, key=lambda item: item.user)
    return [f"{item.user} said {item.comment}" for item in by_user]
