"""From a string to an adapter."""

import asyncio
import sys
from dataclasses import replace
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import build
from sextant.ask.question import Question
from sextant.errors import (
    ConfigError,
    EmbedderError,
    MissingExtra,
    ModelAuthentication,
    UnknownScheme,
)
from sextant.settings import ModelSettings, Settings
from sextant.types import Chunk, Document, Put, Scope

SETTINGS = Settings(store="memory:", embedder="tiny:16")


def test_what_is_written_without_vectors_is_embedded_and_found_by_meaning() -> None:
    async def run() -> None:
        async with await build.build(SETTINGS) as sextant:
            put = Put(Document("d", "Pods"), (Chunk("d#1", "restart the pods"),))
            receipt = await sextant.write(Scope(), [put])
            found = await sextant.search(Scope(), Question("pods", at_least=receipt.commit))
            assert [hit.passage.chunk.id for hit in found.hits] == ["d#1"]
            assert found.hits[0].legs.vector is not None

    asyncio.run(run())


@pytest.mark.parametrize("choice", ["nosuch:x", "sqlite", "", ":x", "SQLITE:x"])
def test_an_unknown_scheme_is_refused_with_the_known_ones(choice: str) -> None:
    with pytest.raises(UnknownScheme, match="memory:, sqlite:"):
        asyncio.run(build.open_store(replace(SETTINGS, store=choice)))


@pytest.mark.parametrize("choice", ["memory:folder", "sqlite:"])
def test_a_scheme_that_is_told_too_much_or_too_little_says_so(choice: str) -> None:
    with pytest.raises(ConfigError, match="Write"):
        asyncio.run(build.open_store(replace(SETTINGS, store=choice)))


def test_only_the_chosen_adapter_is_imported(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from sextant.build import build\n"
        "from sextant.settings import Settings\n"
        "asyncio.run(build(Settings(store='memory:', embedder='tiny:')))\n"
        "assert 'onnxruntime' not in sys.modules and 'numkong' not in sys.modules\n"
        "assert 'sextant.stores.sqlite.store' not in sys.modules\n"
    )
    asyncio.run(_python(code, tmp_path))


async def _python(code: str, folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=folder)
    assert await process.wait() == 0


def test_strangers_register_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    target = "sextant.stores.memory.store:open_store"
    points = EntryPoints([EntryPoint("theirs", target, "sextant.stores")])
    monkeypatch.setattr(metadata, "entry_points", lambda group: points.select(group=group))
    asyncio.run(build.open_store(replace(SETTINGS, store="theirs:")))


def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = EntryPoints([EntryPoint("far", "no_such_package_here:open", "sextant.embedders")])
    monkeypatch.setattr(metadata, "entry_points", lambda group: points.select(group=group))
    with pytest.raises(MissingExtra, match=r"no_such_package_here.*pip install"):
        build.open_embedder(replace(SETTINGS, embedder="far:x"))


def test_only_an_embedded_store_is_restored(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sqlite:FOLDER"):
        build.restore(SETTINGS, tmp_path / "b.tar")


def test_a_key_file_is_for_the_chosen_model_and_for_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "key").write_text("sk-ant-of-one-provider")
    (tmp_path / "key").chmod(0o600)
    model = ModelSettings(key_file=str(tmp_path / "key"))
    settings = Settings(
        llm="anthropic:claude", embedder="openai:text-embedding-3-small", model=model
    )
    assert build.open_llm(settings) is not None
    with pytest.raises(ModelAuthentication):
        build.open_llm(settings, "openai:gpt-5")
    with pytest.raises((EmbedderError, ModelAuthentication)):
        build.open_embedder(settings)
    assert build.open_embedder(replace(settings, llm="none")) is not None
