"""Names by the trained tagger of the extra ``nlp``."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from sextant import build
from sextant.errors import ConfigError
from sextant.ingest.extract.claims import NAMES
from sextant.ports import Extractor
from sextant.settings import IngestSettings, Settings
from sextant.types import NameMode, Scope

pytest.importorskip("spacy", reason="missing: spacy (extra nlp)")
SPACY = Settings(embedder="tiny:16", ingest=IngestSettings(extractor="spacy:"))


def test_proper_nouns_are_names() -> None:
    extractor = build.open_extractor(SPACY)
    assert isinstance(extractor, Extractor)
    found = extractor.names(["Yesterday Marie Curie met Lisa in Warsaw.", "nothing at all"])
    assert {"Marie Curie", "Lisa", "Warsaw"} <= set(found[0])
    assert list(found[1]) == []


def test_a_pipeline_that_is_not_there_is_refused_with_the_way_out() -> None:
    with pytest.raises(ConfigError, match=r"sextant\[nlp\]"):
        build.open_extractor(replace(SPACY, ingest=IngestSettings(extractor="spacy:no_such")))


def test_names_it_finds_can_be_looked_up(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Minutes\n\nWe saw Warsaw, and then Lisa left.\n")

    async def task() -> None:
        settings = replace(SPACY, store=f"sqlite:{tmp_path / 'store'}")
        async with await build.open_sextant(settings) as sextant:
            await sextant.ingest(Scope(), [str(tmp_path / "docs")])
            found = await sextant.lookup(Scope(), ["warsaw"], NameMode.EXACT)
            assert [match.entity.name for match in found["warsaw"]] == ["Warsaw"]
            (document,) = await sextant.store.truth.documents(Scope())
            assert "Warsaw" in document.metadata[NAMES].split("\n")

    asyncio.run(task())
