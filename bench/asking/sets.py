"""The public sets as stores: with all their passages, and with the gold ones left out."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import Settings, load
from sextant.types import Scope

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"
SETS = ("2wiki", "hotpotqa", "musique", "scifact")
SCOPE = Scope()
_FILE = "corpus.jsonl"
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a set and the ids of the passages that answer it."""

    id: str
    text: str
    gold: tuple[str, ...]


def questions(name: str) -> list[Asked]:
    """Return the questions of a set that have gold passages."""
    gold = {row["qid"]: tuple(row["docs"]) for row in _rows(name, "qrels")}
    asked = ((row["id"], row["text"]) for row in _rows(name, "queries"))
    return [Asked(one, text, gold[one]) for one, text in asked if gold.get(one)]


def corpus(name: str) -> list[Mapping[str, Any]]:
    """Return the passages of a set."""
    return list(_rows(name, "corpus"))


def passage_id(document_id: str) -> str:
    """Return the id that a set knows a document of ours by."""
    return document_id.partition("#")[2]


async def store_of(name: str, folder: Path, *, without_gold: bool = False) -> Sextant:
    """Open the store of a set, made at the first time and kept in the folder."""
    if not without_gold:
        return await filled(corpus(name), folder / name)
    kept = folder / f"{name}-without-gold"
    if not (kept / "ready").exists():
        await _left_out(name, folder, kept)
    return await open_sextant(settings(kept / "store"))


async def _left_out(name: str, folder: Path, kept: Path) -> None:
    """Copy the store of a set and remove what is gold: what was there once leaves no trace."""
    await (await store_of(name, folder)).close()
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder / name / "store", kept / "store")
    gold = {one for asked in questions(name) for one in asked.gold}
    async with await open_sextant(settings(kept / "store")) as sextant:
        gone = [one async for one in _document_ids(sextant) if passage_id(one) in gold]
        await sextant.remove(SCOPE, gone)
    (kept / "ready").touch()


async def _document_ids(sextant: Sextant) -> AsyncIterator[str]:
    after = ""
    while page := await sextant.store.truth.documents(SCOPE, after, _PAGE):
        for document in page:
            yield document.id
        after = page[-1].id


async def filled(passages: Sequence[Mapping[str, Any]], folder: Path) -> Sextant:
    """Open a store in this folder that holds these passages."""
    sextant = await open_sextant(settings(folder / "store"))
    ready = folder / "ready"
    if not ready.exists():
        await sextant.ingest(SCOPE, [str(_written(passages, folder / "source"))])
        ready.touch()
    return sextant


def settings(store: Path) -> Settings:
    """Return the settings as they are by default, whatever stands in the folder we are in."""
    return replace(load(store, {}).settings, store=f"sqlite:{store}")


def _written(passages: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    kept = ({key: one[key] for key in ("id", "title", "text")} for one in passages)
    (folder / _FILE).write_text("".join(json.dumps(one) + "\n" for one in kept))
    return folder


def _rows(name: str, part: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)
