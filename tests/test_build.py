"""From a string to an adapter."""

import asyncio
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import build, entrypoints
from sextant.ask.question import Question
from sextant.errors import (
    ConfigError,
    EmbedderError,
    MissingExtra,
    ModelAuthentication,
    UnknownScheme,
)
from sextant.ports import Store
from sextant.settings import ModelSettings, Settings
from sextant.stores.memory.following import FollowingMemoryIndex
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.store import new_store
from sextant.stores.memory.tenants import Tenants
from sextant.types import Chunk, Document, EmbedderIdentity, Put, Scope, StoreAbility

SETTINGS = Settings(store="memory:", embedder="tiny:16")


def test_what_is_written_without_vectors_is_embedded_and_found_by_meaning() -> None:
    async def run() -> None:
        async with await build.open_sextant(SETTINGS) as sextant:
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


def test_an_index_of_another_engine_finds_what_the_store_holds(tmp_path: Path) -> None:
    async def run() -> None:
        chosen = replace(SETTINGS, store=f"sqlite:{tmp_path}/s")
        put = Put(Document("d", "Pods"), (Chunk("d#1", "restart the pods"),))
        async with await build.open_sextant(chosen) as alone:
            await alone.write(Scope(), [put])
        async with await build.open_sextant(replace(chosen, index="memory:")) as sextant:
            found = await sextant.search(Scope(), "pods")
            assert [hit.passage.chunk.id for hit in found.hits] == ["d#1"]
            assert found.hits[0].legs.vector is not None
            assert type(sextant.store.index) is not type(alone.store.index)
            assert sextant.store.lacking == {}

    asyncio.run(run())


@pytest.mark.parametrize("choice", ["bge-fast", "bge_fast:", "bgefast:", "BGE-FAST:", "bge-fsat:x"])
def test_misspelt_scheme_is_told_the_likely_one(choice: str) -> None:
    with pytest.raises(UnknownScheme) as refused:
        build.open_embedder(replace(SETTINGS, embedder=choice))
    assert refused.value.hint.startswith("Did you mean bge-fast:? Known: ")


@pytest.mark.parametrize("choice", ["nosuch:", "memory", "sqlite:x"])
def test_an_unknown_index_is_refused_with_the_known_ones(choice: str) -> None:
    with pytest.raises(UnknownScheme, match=r"names no index\. .*Known: azure:, memory:\."):
        asyncio.run(build.open_store(replace(SETTINGS, index=choice)))


@pytest.mark.parametrize("choice", ["memory:folder", "sqlite:"])
def test_a_scheme_that_is_told_too_much_or_too_little_says_so(choice: str) -> None:
    with pytest.raises(ConfigError, match="Write"):
        asyncio.run(build.open_store(replace(SETTINGS, store=choice)))


def test_an_index_that_is_told_too_much_says_so() -> None:
    with pytest.raises(ConfigError, match="Write"):
        asyncio.run(build.open_store(replace(SETTINGS, index="memory:folder")))


def test_only_the_chosen_adapter_is_imported(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from sextant.build import open_sextant\n"
        "from sextant.settings import Settings\n"
        "asyncio.run(open_sextant(Settings(store='memory:', embedder='tiny:')))\n"
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
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
    asyncio.run(build.open_store(replace(SETTINGS, store="theirs:")))


class Silent(MemoryTruth):
    """A truth that cannot tell what changed."""

    abilities = MemoryTruth.abilities - {StoreAbility.CHANGE_FEED}


class Closable(FollowingMemoryIndex):
    """An index that remembers that it was closed."""

    closed = 0

    async def close(self) -> None:
        Closable.closed += 1
        await super().close()


async def open_silent(
    _: str, settings: Settings, identity: EmbedderIdentity | None, *, adopt: bool = False
) -> Store:
    """Open a store that no other index can follow."""
    assert not adopt
    return replace(new_store(settings, identity), truth=Silent(Tenants(settings, identity)))


async def open_closable(
    _: str, settings: Settings, identity: EmbedderIdentity | None
) -> FollowingMemoryIndex:
    """Open an index of which it can be told whether it was closed."""
    return Closable(Tenants(settings, identity))


def test_an_index_that_cannot_follow_the_store_is_closed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = EntryPoints(
        [
            EntryPoint("silent", f"{__name__}:open_silent", "sextant.stores"),
            EntryPoint("closable", f"{__name__}:open_closable", "sextant.indexes"),
        ]
    )
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
    monkeypatch.setattr(Closable, "closed", 0)
    with pytest.raises(ConfigError, match="cannot tell what changed"):
        asyncio.run(build.open_store(replace(SETTINGS, store="silent:", index="closable:")))
    assert Closable.closed == 1


def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = EntryPoints([EntryPoint("far", "no_such_package_here:open", "sextant.embedders")])
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
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
