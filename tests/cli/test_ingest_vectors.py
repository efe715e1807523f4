"""Words first, from the command line: what is said, what is left, and who goes on with it."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.cli.ingesting.progress import progress_lines
from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.report import Report
from tests.cli.commands import SETTINGS, asked, hear, sextant, started, told
from tests.ingest.embedding.slow import BROKEN, Watched, with_embedder
from tests.ingest.folders import SCOPE, Tree, dump, fresh, lay_out, settings_at

PAGES: Tree = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue is a queue owned by Team Y.\n",
}
FINDABLE = "Findable now by words and names; {} passages have vectors."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and two pages in it, to stand in."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    lay_out(tmp_path / "docs", PAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder: Path) -> list[str]:
    """Return what the folder's store holds."""

    async def task() -> list[str]:
        async with await open_sextant(settings_at(folder / "kept")) as opened:
            assert not await opened.store.admin.check(SCOPE)
            return await dump(opened)

    return asyncio.run(task())


def left() -> int:
    """Return how many chunks are without vectors, as status tells it."""
    [tenant] = told("status")["tenants"]
    return int(tenant["unembedded_chunks"])


def test_it_says_that_all_is_found_before_the_first_vector(folder: Path) -> None:
    done = sextant(folder, "ingest", "docs")
    assert done.returncode == 0, done.stderr
    assert FINDABLE.format("0 of 2") in done.stderr
    assert "Findable" not in done.stdout
    assert left() == 0


def test_who_does_not_wait_leaves_vectors_to_the_next_run(folder: Path) -> None:
    words = asked("ingest", "docs", "--no-wait")
    assert words.exit_code == 0, words.output
    assert FINDABLE.format("0 of 2") in words.stderr
    assert "The next ingest or a running server makes the rest." in words.stderr
    assert left() == 2
    assert "without vectors" in asked("status").stdout
    found = told("search", "harbor queue")
    assert "docs/queue.md" in str(found)
    again = told("ingest", "docs")
    assert (again["unchanged"], again["vectors"]["made"], again["vectors"]["left"]) == (2, 2, 0)
    assert "without vectors" not in asked("status").stdout
    assert kept(folder) == asyncio.run(fresh(PAGES))


def test_ctrl_c_while_vectors_come_in_keeps_what_there_is(folder: Path) -> None:
    text = "It goes on and on and says little that is new to anybody here. " * 200
    many: Tree = {f"{n:03}.md": f"# Part {n}\n\n{text}\n" for n in range(300)}
    lay_out(folder / "docs", many)
    with started(folder, "ingest", "docs") as child:
        hear(child.stderr, "Findable now")
        child.send_signal(signal.SIGINT)
        said, complaints = child.communicate()
    assert child.returncode == 130
    assert b"Took in 300 documents (300 new" in said
    assert b"Stopped. What was acknowledged is kept; the next run" in complaints
    assert b"Traceback" not in complaints
    assert left() > 0
    assert told("ingest", "docs")["vectors"]["left"] == 0
    assert kept(folder) == asyncio.run(fresh(many))


def test_a_bar_of_its_own_shows_the_vectors_on_a_terminal(folder: Path) -> None:
    done = sextant(folder, "ingest", "docs", FORCE_COLOR="1", TERM="xterm")
    assert done.returncode == 0, done.stderr
    assert "Embedding" in done.stderr
    assert "2/2" in done.stderr


def test_status_names_a_document_that_cannot_be_embedded(folder: Path) -> None:
    lay_out(folder / "docs", {**PAGES, "bad.md": f"# Bad\n\nThis is {BROKEN}.\n"})

    async def task() -> None:
        async with await open_sextant(settings_at(folder / "kept")) as opened:
            report = await with_embedder(opened, Watched()).ingest(SCOPE, [str(folder / "docs")])
            assert report.vectors is not None
            assert set(report.vectors.failed) == {"docs/bad.md"}

    asyncio.run(task())
    shown = asked("status")
    assert shown.exit_code == 0
    assert "no vectors: docs/bad.md: Such words are not embedded." in shown.stdout
    assert told("status")["unembeddable"] == {
        "default": {"docs/bad.md": "Such words are not embedded."}
    }
    assert told("ingest", "docs")["vectors"]["made"] == 1
    assert told("status")["unembeddable"] == {}


def test_lines_tell_how_many_vectors_there_are_and_how_long_the_rest_takes() -> None:
    moments = iter([0.0, 1.0, 2.0, 3.0, 12.0, 22.0])
    lines: list[str] = []
    listen = progress_lines(lines.append, lambda: next(moments))
    listen(Report(found=2, read=2, done=2, chunks=90))
    listen(Report(found=2, read=2, done=2, chunks=90, vectors=Vectors(100, 90)))
    listen(Report(vectors=Vectors(100, 89, 1)))
    listen(Report(vectors=Vectors(100, 70, 20)))
    listen(Report(vectors=Vectors(100, 40, 50, is_elsewhere=True)))
    assert lines == [
        FINDABLE.format("10 of 100"),
        "… 30 of 100 passages have vectors, 2/s, 35 s left",
        "… 60 of 100 passages have vectors; another process embeds",
    ]
