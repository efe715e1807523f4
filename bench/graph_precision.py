"""Measure how much of the graph is true: python -m bench.graph_precision --docs FOLDER

FOLDER holds a folder for each set of documents: the three of ``../shared/data/docs``, unpacked, and
the documentation of celery, django (``*.txt`` renamed to ``*.rst``) and npm, as their packages
bring it. Others can be named: folders with the passages of a retrieval set as ``corpus.jsonl`` were
read for the relations that prose tells, of which documentation has few. Relations and entities were
labelled by reading them where they stand; the labels are in ``bench/graph_labels``. Scored are the
relations that an answer may tell and the entities that are listed, all that have a label; what has
none yet is counted, and ``--draw N`` writes a sample of it to be labelled (``"label": null``), with
equal shares of each set, by a fixed seed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.ingest.extract.claims import FOUND_IN
from sextant.ingest.extract.phrases import phrases_of
from sextant.ingest.keeping.draft import is_listed
from sextant.retrieval.expand import WEAK, is_sure
from sextant.settings import Settings
from sextant.text.names import spaced
from sextant.types import Entity, Put, Relation, Scope

LABELS = Path(__file__).parent / "graph_labels"
SETS = ("argo-cd", "prometheus", "handbook", "celery", "django", "npm")
_SCOPE = Scope()
_PAGE = 200
_SEED = 25
_AROUND = 160
"""Characters shown on each side of a name, where no sentence says more."""

_RULES = {0.85: "said", 0.75: "listed", 0.7: "implied", 0.65: "model"}
"""How sure each rule is of what it reads in prose, which tells them apart; half, if it is not."""


@dataclass(frozen=True, slots=True)
class Row:
    """Something that the graph holds: by which rule, where it stands, and whether it is true."""

    set: str
    key: str
    rule: str
    name: str
    sentence: str
    shown: bool = True
    label: bool | None = None


def main() -> None:
    """Take each set in, and print what is true of its relations and entities."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--draw", type=int, default=0, help="How many to draw for labelling.")
    options = parser.parse_args()
    both = [asyncio.run(rows_of(name, options.docs / name)) for name in options.sets]
    for at, what in enumerate(("relations", "entities")):
        rows = [row for one in both for row in one[at]]
        labels = read_labels(what)
        known = [replace(row, label=labels.get((row.set, row.key))) for row in rows]
        if options.draw:
            _write(what, _drawn([row for row in known if row.label is None], options.draw))
        _print(what, known)


async def rows_of(name: str, folder: Path) -> tuple[list[Row], list[Row]]:
    """Return the typed relations and the entities of a set, in the order of their ids."""
    with tempfile.TemporaryDirectory(prefix="sextant-graph-") as place:
        settings = replace(Settings(), store=f"sqlite:{place}/store", embedder="tiny:")
        async with await open_sextant(settings) as sextant:
            await sextant.ingest(_SCOPE, [str(folder)])
            units = [unit async for unit in _units(sextant)]
            relations = [row async for row in _relation_rows(name, sextant, units)]
            entities = [row async for row in _entity_rows(name, sextant, units)]
    return sorted(relations, key=_key), sorted(entities, key=_key)


async def _units(sextant: Sextant) -> AsyncIterator[Put]:
    after = ""
    while page := await sextant.store.truth.documents(_SCOPE, after, _PAGE):
        ids = [document.id for document in page]
        for unit in (await sextant.store.truth.units(_SCOPE, ids)).values():
            yield unit
        after = ids[-1]


async def _relation_rows(name: str, sextant: Sextant, units: Sequence[Put]) -> AsyncIterator[Row]:
    """Yield each typed relation once, by the surest of the sentences that say it."""
    best: dict[tuple[str, str, str], Relation] = {}
    for one in (one for unit in units for one in unit.relations if one.kind not in WEAK):
        ends = (one.source, one.kind, one.target)
        if ends not in best or one.confidence > best[ends].confidence:
            best[ends] = one
    found = list(best.values())
    said = await sextant.sentences(_SCOPE, found)
    chunks = {chunk.id: chunk.text for unit in units for chunk in unit.chunks}
    known = await sextant.entities(_SCOPE, sorted({end for ends in best for end in ends[::2]}))
    for one, sentence in zip(found, said, strict=True):
        names = [known[end].name if end in known else end for end in (one.source, one.target)]
        text = sentence or _excerpt(chunks.get(one.evidence[0], ""), names[1])
        yield Row(
            name,
            f"{one.source} {one.kind} {one.target}",
            _rule(one, text),
            f"{names[0]} -{one.kind}-> {names[1]}",
            text,
            is_sure(one),
        )


def _rule(relation: Relation, sentence: str) -> str:
    """Return what made a relation, and by which phrase."""
    if relation.id:
        return "declared"
    words = spaced(sentence)
    phrases = [" ".join(one) for one in phrases_of(relation.kind)]
    there = [one for one in phrases if f" {one} " in words]
    sure = relation.confidence if is_sure(relation) else relation.confidence * 2
    return f"{_RULES.get(sure, '?')}: {max(there, key=len, default='?')}"


async def _entity_rows(name: str, sextant: Sextant, units: Sequence[Put]) -> AsyncIterator[Row]:
    """Yield each entity with where it was found at best and a text that it stands in."""
    ranks: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        for entity in unit.entities:
            ranks[entity.id].add(entity.metadata.get(FOUND_IN, "stated"))
        for chunk in unit.chunks:
            for entity_id in chunk.entity_ids:
                texts[entity_id].append(chunk.text)
    ids, known = sorted(ranks), dict[str, Entity]()
    for at in range(0, len(ids), _PAGE):
        known |= await sextant.store.graph.entities(_SCOPE, ids[at : at + _PAGE])
    for entity_id, entity in known.items():
        rule = " ".join(sorted(ranks[entity_id]))
        text = _seen(entity, texts[entity_id])
        yield Row(name, entity_id, rule, entity.name, text, is_listed(entity))


def _seen(entity: Entity, texts: Iterable[str]) -> str:
    """Return the first text that holds the name as it is written, else nothing."""
    return next((_excerpt(text, entity.name) for text in texts if entity.name in text), "")


def _excerpt(text: str, name: str) -> str:
    at = max(0, text.find(name))
    return " ".join(text[max(0, at - _AROUND) : at + len(name) + _AROUND].split())


def read_labels(what: str) -> dict[tuple[str, str], bool]:
    """Return what is known to be true or not, by set and key."""
    path = LABELS / f"{what}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(row["set"], row["key"]): row["label"] for row in rows if row["label"] is not None}


def _drawn(rows: Iterable[Row], count: int) -> list[Row]:
    """Return a sample of what is shown with equal shares per set; all where there is not enough."""
    drawn: list[Row] = []
    rows = [row for row in rows if row.shown]
    by_set = [[row for row in rows if row.set == one] for one in {row.set for row in rows}]
    for left, own in zip(range(len(by_set), 0, -1), sorted(by_set, key=len), strict=True):
        share = min(len(own), -(-(count - len(drawn)) // left))
        drawn += random.Random(_SEED).sample(own, share)
    return sorted(drawn, key=_key)


def _write(what: str, rows: Iterable[Row]) -> None:
    kept = ({name: one for name, one in asdict(row).items() if name != "shown"} for row in rows)
    with (LABELS / f"{what}.jsonl").open("a") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in kept)


def _print(what: str, rows: Sequence[Row]) -> None:
    print(f"\n{what}: {len(rows)}, of which {sum(row.shown for row in rows)} are shown")
    shown = [row for row in rows if row.shown]
    by_rule = sorted({row.rule for row in shown})
    sets = dict.fromkeys(row.set for row in shown)
    for title, own in (
        *((name, [row for row in shown if row.set == name]) for name in sets),
        *((rule, [row for row in shown if row.rule == rule]) for rule in by_rule),
        ("all", shown),
    ):
        labels = [row.label for row in own if row.label is not None]
        if labels:
            true, share = sum(labels), sum(labels) / len(labels)
            print(f"  {title:44} {true:4} of {len(labels):4} true ({share:.0%}); {len(own)} in all")
    missing = sum(row.label is None for row in shown)
    print(f"  {missing} shown without a label (--draw N draws some of them)")


def _key(row: Row) -> tuple[str, str]:
    return row.set, row.key


if __name__ == "__main__":
    main()
