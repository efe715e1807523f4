"""A run that is killed or cancelled while the model reads goes on, and pays for nothing twice."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.types import Prompt
from tests.ingest.clerk import PRICED, clerk, modelled, passages, reading
from tests.ingest.folders import SCOPE, Tree, dump, lay_out
from tests.torture.children import NURSERY, nameless

NURSERY.set_forkserver_preload(["tests.torture.worker", "tests.ingest.clerk"])
TREE: Tree = {
    f"{n}.md": f"# Page Number{n}\n\nTidal Desk{n} leans on Harbor Queue.\n" for n in range(12)
}
CALLS = len(TREE)


async def perform(home: Path, kill_at: int = 0) -> list[str]:
    """Let the clerk read a folder; it writes down what it is asked, and may kill us all."""

    def watch(prompt: Prompt) -> None:
        with (home / "asked").open("a") as file:
            file.writelines(f"{text!r}\n" for text in passages(prompt))
        if len((home / "asked").read_text().splitlines()) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    own = modelled(home / "store", replace(PRICED, batch_concurrency=1))
    async with reading(own, clerk(watch)) as sextant:
        await sextant.ingest(SCOPE, [str(home / "docs")])
        assert not await sextant.store.admin.check(SCOPE)
        return await dump(sextant)


def enter(home: Path, kill_at: int) -> None:
    asyncio.run(perform(home, kill_at))


def killed(home: Path, kill_at: int) -> bool:
    process = NURSERY.Process(target=enter, args=(home, kill_at), daemon=True)
    with nameless():
        process.start()
    process.join()
    return process.exitcode == -signal.SIGKILL


def asked(home: Path) -> list[str]:
    return (home / "asked").read_text().splitlines()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    home = tmp_path_factory.mktemp("clean")
    lay_out(home / "docs", TREE)
    whole = asyncio.run(perform(home))
    assert len(asked(home)) == CALLS
    return whole


def test_after_kills_the_next_run_ends_as_if_there_had_been_none_and_pays_once(
    tmp_path: Path, clean: list[str]
) -> None:
    lay_out(tmp_path / "docs", TREE)
    assert killed(tmp_path, 1)
    assert killed(tmp_path, 5)
    assert killed(tmp_path, CALLS)
    assert asyncio.run(perform(tmp_path)) == clean
    # Each kill came before an answer, so what it was asked for had to be asked for again.
    assert len(asked(tmp_path)) == CALLS + 3
    assert len(set(asked(tmp_path))) == CALLS


def test_who_is_cancelled_keeps_what_was_answered(tmp_path: Path, clean: list[str]) -> None:
    lay_out(tmp_path / "docs", TREE)
    model = clerk()

    async def task() -> None:
        def watch(_: Prompt) -> None:
            if len(model.prompts) == 7:
                run.cancel()

        model.script = clerk(watch).script
        own = modelled(tmp_path / "store", replace(PRICED, batch_concurrency=1))
        async with reading(own, model) as sextant:
            run = asyncio.create_task(sextant.ingest(SCOPE, [str(tmp_path / "docs")]))
            with pytest.raises(asyncio.CancelledError):
                await run

    asyncio.run(task())
    assert asyncio.run(perform(tmp_path)) == clean
    assert 0 <= len(asked(tmp_path)) - (CALLS - 7) <= 1
