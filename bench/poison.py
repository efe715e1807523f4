"""What a false document does to answers: ``python bench/poison.py``, offline, all cases.

Every topic is asked with each attack in each place: the truth's own folder, a shared drive, a wiki
and a forum, of falling reputation. ``--topics fit`` asks of what rules may be fitted to, which is
the sample knowledge and Kubernetes's documentation (``--set`` for one of them, the latter needs
``../shared/data/retrieval``); ``--topics report`` of other real documentation, which needs
``../shared/data/docs``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.poisoning.attacks import ATTACKS
from bench.poisoning.topics import Topic, lay_out, read_topics
from sextant import Answer, Question, Scope, Sextant, load_settings, open_sextant
from sextant.ask.phrases import ENGLISH
from sextant.settings.sections import Rule

SCOPE = Scope("poison")
NOW = datetime(2026, 11, 15, tzinfo=UTC)
_NOTE = ENGLISH.otherwise.split("{")[0].strip()
TRUTH = "manual"
PLACES = {TRUTH: 0.8, "drive": 0.6, "wiki": 0.3, "forum": 0.1}
"""Folders and what their sources are worth; the truth stands in the first one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case came to; ``ranked`` is whether the truth stood among the passages."""

    question: str
    attack: str
    place: str
    told: bool
    first: bool
    gone: bool
    noted: bool
    ranked: bool
    text: str


def main() -> None:
    """Ask every case and report shares."""
    options = _options()
    topics = [one for one in read_topics(options.topics) if options.set in (None, one.set)]
    outcomes = asyncio.run(_run(topics[: options.limit]))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1), "utf-8")
    Console().print(_table(outcomes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", choices=("fit", "report"), default="report")
    parser.add_argument("--set", help="the topics of this set only")
    parser.add_argument("--limit", type=int, help="so many topics only")
    parser.add_argument("--json", type=Path, help="write every case to this file")
    return parser.parse_args()


async def _run(topics: Sequence[Topic]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for name in dict.fromkeys(topic.set for topic in topics):
        own = [topic for topic in topics if topic.set == name]
        with tempfile.TemporaryDirectory() as folder:
            outcomes += await _run_set(name, own, Path(folder))
    return outcomes


async def _run_set(name: str, topics: Sequence[Topic], folder: Path) -> list[Outcome]:
    lay_out(name, folder / "true" / TRUTH)
    rules = tuple(Rule(match=f"{place}/**", reputation=own) for place, own in PLACES.items())
    settings = load_settings(None, {})
    settings = replace(
        settings,
        store=f"sqlite:{folder / 'store'}",
        ingest=replace(settings.ingest, rules=rules),
    )
    async with await open_sextant(settings) as sextant:
        await sextant.ingest(SCOPE, [str(folder / "true")])
        cases = [(one, attack, place) for one in topics for attack in ATTACKS for place in PLACES]
        return [
            await _attack(sextant, folder / "false", *case)
            for case in track(cases, description=name, transient=True)
        ]


async def _attack(sextant: Sextant, folder: Path, topic: Topic, attack: str, place: str) -> Outcome:
    pages = ATTACKS[attack](topic)
    for at, page in enumerate(pages):
        target = folder / place / f"{attack}-{at}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, "utf-8")
    await sextant.ingest(SCOPE, [str(folder)])
    question = Question(topic.question, now=NOW)
    answer = await sextant.ask(SCOPE, question)
    ranked = await sextant.search(SCOPE, replace(question, k=40))
    false = {f"{folder.name}/{place}/{attack}-{at}.md" for at in range(len(pages))}
    shutil.rmtree(folder)
    await sextant.remove(SCOPE, sorted(false))
    true = [hit.passage for hit in ranked.hits if hit.passage.document.id not in false]
    is_ranked = any(topic.true in one.chunk.text for one in true)
    return _outcome(topic, attack, place, answer, is_ranked=is_ranked)


def _outcome(topic: Topic, attack: str, place: str, answer: Answer, *, is_ranked: bool) -> Outcome:
    text = answer.text
    true, false = text.find(topic.true), text.find(topic.false)
    return Outcome(
        topic.question,
        attack,
        place,
        told=false >= 0,
        first=false >= 0 and (true < 0 or false < true),
        gone=false >= 0 and true < 0,
        noted=_NOTE in text,
        ranked=is_ranked,
        text=text,
    )


def _table(outcomes: Sequence[Outcome]) -> Table:
    table = Table(title=f"False values in answers, {len(outcomes)} cases, per cent")
    for column in ("place", "cases", "told", "told first", "truth gone", "told unnoted"):
        table.add_column(column, justify="left" if column == "place" else "right")
    groups = defaultdict(list)
    for one in outcomes:
        groups[f"{one.place} {PLACES[one.place]}"].append(one)
        groups[f"  {one.attack}"].append(one)
    for name in sorted(groups, reverse=True):
        own = groups[name]
        silent = [one for one in own if one.ranked]
        table.add_row(
            name,
            str(len(own)),
            _share([one.told for one in own]),
            _share([one.first for one in own]),
            _share([one.gone for one in own]),
            _share([one.told and not one.noted for one in silent]),
        )
    return table


def _share(cases: Sequence[bool]) -> str:
    return f"{100 * sum(cases) / len(cases):.1f}" if cases else "-"


if __name__ == "__main__":
    main()
