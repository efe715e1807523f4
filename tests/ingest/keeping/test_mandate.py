"""Whoever brings documents gives them to its own personas and takes none away from others."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import Forbidden
from sextant.ingest.flow import Options
from sextant.ingest.keeping.mandate import Mandate, mandate_of
from sextant.settings import Rule, Settings
from sextant.types import OPERATOR, Document, Scope
from tests.ingest.folders import lay_out

people = st.frozensets(st.sampled_from("abc"))
mandates = st.builds(Mandate, st.none() | people, st.booleans())
ALL = Scope(roles=frozenset({OPERATOR}))


@given(mandates, people)
def test_a_new_document_goes_to_nobody_whom_its_writer_does_not_act_for(
    mandate: Mandate, asked: frozenset[str]
) -> None:
    try:
        audience = mandate.audience(asked)
    except Forbidden:
        assert mandate.personas is not None
        assert not asked <= mandate.personas
        return
    if mandate.personas is None:
        assert audience == asked
    else:
        assert audience == (asked or mandate.personas)
        assert audience <= mandate.personas


@given(mandates, people, people)
def test_a_document_keeps_who_sees_it_unless_its_writer_acts_for_all(
    mandate: Mandate, old: frozenset[str], new: frozenset[str]
) -> None:
    before, after = Document("d", personas=old), Document("d", "New", personas=new)
    try:
        kept = mandate.successor(before, after)
    except Forbidden:
        assert mandate.chooses
        assert old != new
        assert mandate.personas is not None
        return
    assert kept.title == "New"
    assert kept.personas == (new if mandate.personas is None else old)


@given(mandates, people)
def test_what_is_open_or_ones_own_is_touched_and_nothing_else(
    mandate: Mandate, personas: frozenset[str]
) -> None:
    own = mandate.personas
    touched = mandate.touches(Document("d", personas=personas))
    assert touched == (own is None or not personas or bool(own & personas))


def test_who_asks_as_some_personas_acts_for_these_only() -> None:
    own = frozenset({"a", "b"})
    assert mandate_of(Scope(acts_for=own)).personas == own
    assert mandate_of(Scope(personas=frozenset({"a"}), acts_for=own)).personas == frozenset({"a"})
    assert mandate_of(Scope(personas=frozenset({"a"}))).personas == frozenset({"a"})
    assert mandate_of(Scope(personas=own, acts_for=own | {"c"})).personas == own
    assert mandate_of(Scope()).personas is None
    assert mandate_of(Scope(acts_for=frozenset())).personas == frozenset()


TEAM = Options(name="docs", personas=("a", "b"), seen_by=("a", "b"))


async def _sent(core: Sextant, home: Path, text: str, options: Options) -> set[str]:
    """Bring a document, and return who sees it then."""
    lay_out(home / "docs", {"plan.md": f"# Plan\n\n{text}\n"})
    await core.ingest(ALL, [str(home / "docs")], options)
    unit = (await core.store.truth.units(ALL, ["docs/plan.md"]))["docs/plan.md"]
    assert text in unit.chunks[0].text
    return set(unit.document.personas)


def test_a_rule_of_the_settings_hides_a_document_whoever_brings_it_again(tmp_path: Path) -> None:
    free = Options(name="docs")
    plain = Settings(store=f"sqlite:{tmp_path}/s", embedder="tiny:8")
    rules = (Rule("plan.md", personas=("hr",)),)
    ruled = replace(plain, ingest=replace(plain.ingest, rules=rules))

    async def run() -> list[set[str]]:
        async with await open_sextant(plain) as core:
            seen = [await _sent(core, tmp_path, "One.", free)]
            seen.append(await _sent(core, tmp_path, "Two.", TEAM))
        async with await open_sextant(ruled) as core:
            seen.append(await _sent(core, tmp_path, "Three.", TEAM))
            seen.append(await _sent(core, tmp_path, "Four.", TEAM))
            seen.append(await _sent(core, tmp_path, "Five.", free))
            return seen

    hidden = {"a", "b", "hr"}
    assert asyncio.run(run()) == [set(), set(), hidden, hidden, {"hr"}]
