"""A folder full of traps: each is refused with a reason, the good files come in, memory stays."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_sextant
from tests.cli.commands import SETTINGS, environment
from tests.ingest.folders import SCOPE, settings_at

MEASURED = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", "sextant", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)
"""
TINY = 2_000
MOST_MEGABYTES = 300
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "haha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b'<!ENTITY own SYSTEM "file:///etc/passwd">]>'
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    b"<w:body><w:p><w:r><w:t>&j;&own;</w:t></w:r></w:p></w:body></w:document>"
)
LOOP_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>endobj\ntrailer<</Root 1 0 R>>\n"
)
YAML_LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(9)
)

REFUSED = {
    "bomb.zip/zeros.txt": "too_much",
    "broken.zip/": "broken_file",
    "deep.json": "too_much",
    "entities.docx": "broken_file",
    "garbage.pdf": "broken_file",
    "huge.txt": "too_much",
    "laughs.yaml": "too_much",
    "nested.html": "too_much",
    "loop": "unsafe_source",
    "loop.pdf": "broken_file",
    "odd\\x01name.md": "broken_file",
    "out.md": "unsafe_source",
    "outer.zip/inner.zip/deepest.zip": "too_much",
    "pipe.md": "unknown_format",
    "posing.md": "broken_file",
    "records.jsonl": "broken_file",
    "traversal.zip/../../evil.md": "unsafe_source",
    "traversal.zip//etc/evil.md": "unsafe_source",
}
GOOD = {
    "Same.md",
    "broken-utf8.txt",
    "good.md",
    "latin.txt",
    "outer.zip/inner.zip/fine.md",
    "same.md",
    "traversal.zip/fine.md",
    "wide.txt",
}


def zipped(files: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def lay_traps(folder: Path) -> None:
    page = b"# Harbor Queue\n\nHarbor Queue is a queue.\n"
    noise = random.Random(3).randbytes(4_000)
    inner = zipped({"deepest.zip": zipped({"fine.md": page}), "fine.md": page})
    files = {
        "good.md": page,
        "Same.md": page,
        "same.md": page,
        "bomb.zip": zipped({"zeros.txt": bytes(60 << 20)}),
        "broken.zip": zipped({"a.md": page})[:-40],
        "outer.zip": zipped({"inner.zip": inner}),
        "traversal.zip": zipped({"../../evil.md": page, "/etc/evil.md": page, "fine.md": page}),
        "entities.docx": zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": LAUGHS}),
        "garbage.pdf": b"%PDF-1.7\n" + noise,
        "loop.pdf": LOOP_PDF,
        "posing.md": b"\x7fELF" + noise,
        "latin.txt": "Größe des Hafens überall".encode("latin-1"),
        "broken-utf8.txt": b"Harbor \xff\xfe\x80 Queue is up, and that is all there is.",
        "wide.txt": "Harbor Queue is wide.".encode("utf-16"),
        "deep.json": b"[" * 200_000 + b"]" * 200_000,
        "nested.html": b"<div>" * 20_000 + b"<p>Harbor Queue</p>",
        "laughs.yaml": YAML_LAUGHS.encode(),
        "records.jsonl": b'{"text": "Harbor Queue"}\n{"text": \n',
        "odd\x01name.md": page,
        "noise.bin": noise,
    }
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(2 << 30)
    (folder / "out.md").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to(".")
    os.mkfifo(folder / "pipe.md")
    (folder / "many").mkdir()
    for number in range(TINY):
        (folder / "many" / f"{number}.txt").write_text(f"Note {number}: Harbor Queue is up.")


@pytest.mark.skipif(sys.platform == "win32", reason="these traps need a POSIX file system")
def test_a_hostile_folder_is_taken_in_as_far_as_it_is_good(tmp_path: Path) -> None:
    lay_traps(tmp_path / "traps")
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, "ingest", "traps", "--json"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3, ended.stderr
    assert "Traceback" not in ended.stderr
    report = json.loads(ended.stdout)
    assert {one["path"]: one["code"] for one in report["failed"]} == REFUSED
    assert str(tmp_path) not in ended.stdout
    assert all(one["reason"] for one in report["failed"])
    assert [one["path"] for one in report["skipped"]] == ["noise.bin"]
    assert report["added"] == len(GOOD) + TINY
    assert int(ended.stderr.split()[-1]) < MOST_MEGABYTES
    asyncio.run(_look(tmp_path, report))


async def _look(home: Path, report: dict[str, Any]) -> None:
    """Nothing is there of what was refused, and everything of what was not."""
    async with await open_sextant(settings_at(home / "kept")) as opened:
        known = {one.id for one in await opened.store.truth.documents(SCOPE, "", 10_000)}
        assert {one for one in known if "/many/" not in one} == {f"traps/{one}" for one in GOOD}
        counts = await opened.store.truth.counts(SCOPE)
        assert (counts.documents, counts.chunks) == (len(known), report["chunks"])
        assert not await opened.store.admin.check(SCOPE)
        lines = [line async for line in opened.store.admin.dump(SCOPE)]
        assert [line for line in lines if "haha" in line or "root:" in line] == []
