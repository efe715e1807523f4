"""Questions with what was found for each and how likely each piece is meant; asked once, and kept.

Knows the sets of bench/documentation and the training questions of the sample, and no weights.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from bench.documentation.packages import HERE, pages_of
from sextant.ask.evaluate.cases import Case, question_of, read_cases
from sextant.ask.piece_odds import PieceOdds, read_piece_odds
from sextant.ask.question import Means, Question
from sextant.ask.score import Readings, Scored, score_passages
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import Settings, load
from sextant.text.words import Words
from sextant.types import Hit, Scope

SAMPLE = "sample"
QUESTIONS = Path(__file__).parents[1] / "questions"
NOW = datetime(2026, 10, 31, tzinfo=UTC)
MOST = 24
"""Passages that are looked at. With 16 or 32 one question less of 336 is shown its answer."""

WORDS = Words()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its parts, what was found for it, and how likely each piece is meant."""

    case: Case
    parts: tuple[str, ...]
    hits: tuple[Hit, ...]
    odds: Mapping[str, PieceOdds]
    readings: Readings = field(default_factory=lambda: Readings(WORDS), compare=False)

    @property
    def day(self) -> date:
        """The day on which it is asked."""
        return date.fromisoformat(self.case.today) if self.case.today else NOW.date()

    def scored(self, *, is_read: bool = True) -> list[tuple[Scored, ...]]:
        """Score the passages for each part, the whole question first; or by words alone."""
        return [
            score_passages(text, self.hits, self.odds_of(text, is_read), self.readings, self.day)
            for text in self.parts
        ]

    def odds_of(self, text: str, is_read: bool) -> PieceOdds:
        """Return what is known of the pieces for a part."""
        return self.odds.get(text, {}) if is_read else {}


def ask_documentation(name: str, folder: Path) -> list[Asked]:
    """Ask the questions of a set, or read what was found for them before."""
    kept = folder / f"{name}.asked"
    if not kept.exists():
        cases = read_cases((HERE / f"{name}.jsonl").read_text("utf-8"))
        pages = [str(pages_of(name, folder))]
        settings = replace(Settings(), store=f"sqlite:{folder / name / 'store'}")
        _ask_all(cases, settings, pages, kept)
    return _read(kept)


async def store_of(name: str, folder: Path) -> Sextant:
    """Return a store of a set, which is made where there is none yet."""
    store = folder / name / "store"
    is_new = not store.exists()
    sextant = await open_sextant(replace(Settings(), store=f"sqlite:{store}"))
    if is_new:
        await sextant.ingest(Scope(), [str(pages_of(name, folder))])
    return sextant


def ask_sample(folder: Path) -> list[Asked]:
    """Ask the questions of the sample that may be fitted to, or read what was found before."""
    kept = folder / f"{SAMPLE}.asked"
    if not kept.exists():
        with as_file(files("sextant") / SAMPLE) as place:
            cases = read_cases((place / "questions.jsonl").read_text("utf-8"))
            own = [case for case in cases if case.split == "train"]
            for path in sorted(QUESTIONS.glob("*.jsonl")):
                own += read_cases(path.read_text("utf-8"))
            settings = load(place, {}).settings
            settings = replace(settings, store=f"sqlite:{folder / SAMPLE / 'store'}")
            _ask_all(own, settings, [str(place / "knowledge")], kept)
    return _read(kept)


def _ask_all(cases: Iterable[Case], settings: Settings, pages: list[str], kept: Path) -> None:
    """Keep what is found for questions in a store, which is made where there is none yet."""
    is_new = not Path(settings.store.removeprefix("sqlite:")).exists()
    found = asyncio.run(_found(cases, settings, pages if is_new else []))
    kept.write_bytes(pickle.dumps([(one.case, one.parts, one.hits, one.odds) for one in found]))


async def _found(cases: Iterable[Case], settings: Settings, pages: list[str]) -> list[Asked]:
    async with await open_sextant(settings) as sextant:
        if pages:
            await sextant.ingest(Scope(), pages)
        return [await _ask(sextant, case) for case in cases]


def _read(kept: Path) -> list[Asked]:
    found = [Asked(*one) for one in pickle.loads(kept.read_bytes())]
    return [one for one in found if one.hits]


async def _ask(sextant: Sextant, case: Case) -> Asked:
    scope = Scope(personas=case.personas)
    ranked = await sextant.search(scope, question_of(case, Question("", now=NOW, k=MOST)))
    plan = ranked.trace.step("plan")
    queries: Any = plan.facts["queries"] if plan else ()
    parts = tuple(str(one["query"]) for one in queries) or (case.question,)
    means = Means(sextant.store, sextant.embedder, sextant.settings, WORDS)
    odds = await read_piece_odds(means, scope, ranked.hits, parts)
    return Asked(case, parts, ranked.hits, odds.by_text)
