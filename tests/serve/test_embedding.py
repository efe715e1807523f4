"""A server embeds what was left without vectors, beside all else."""

from __future__ import annotations

from pathlib import Path

from sextant.build import open_sextant
from sextant.ingest.flow import Options
from sextant.serve.embedding import embedding
from sextant.testing.store_suite.opening import wait_until
from tests.ingest.folders import SCOPE, dump, fresh, lay_out, settings_at

TREE = {f"{at:02}.md": f"# Page {at}\n\nIt is number {at}.\n" for at in range(20)}


async def test_a_server_goes_on_with_what_another_process_left(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", TREE)
    settings, words = settings_at(tmp_path / "store"), Options(words_only=True)
    async with await open_sextant(settings) as server, embedding(server):
        async with await open_sextant(settings) as other:
            await other.ingest(SCOPE, [str(tmp_path / "docs")], words)

        async def is_done() -> bool:
            return not await server.store.truth.unembedded(SCOPE, limit=1)

        await wait_until(is_done, 60)
        assert await dump(server) == await fresh(TREE)


async def test_a_server_that_ends_leaves_whole_documents(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", TREE)
    settings = settings_at(tmp_path / "store")
    async with await open_sextant(settings) as server:
        await server.ingest(SCOPE, [str(tmp_path / "docs")], Options(words_only=True))
        async with embedding(server):
            pass
        await server.ingest(SCOPE, [str(tmp_path / "docs")])
        assert await dump(server) == await fresh(TREE)


async def test_a_question_that_takes_long_does_not_keep_a_server_from_embedding(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path / "docs", TREE)
    async with await open_sextant(settings_at(tmp_path / "store")) as server:
        await server.ingest(SCOPE, [str(tmp_path / "docs")], Options(words_only=True))
        with server.attention.given():
            async with embedding(server):

                async def is_done() -> bool:
                    return not await server.store.truth.unembedded(SCOPE, limit=1)

                await wait_until(is_done, 60)
