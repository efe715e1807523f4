"""The pages that the questions are about, fetched by the names of their packages."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from pip._internal.models.index import PyPI

HERE = Path(__file__).parent


def names() -> list[str]:
    """Return the sets that there are questions of."""
    return sorted(path.stem for path in HERE.glob("*.jsonl"))


def pages_of(name: str, folder: Path) -> Path:
    """Return the folder with the pages of a set, which are fetched at the first time."""
    target = folder / name / "docs"
    if not target.exists():
        with tempfile.TemporaryDirectory() as place:
            for path, source in _PAGES[name](Path(place)):
                kept = target / path
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, kept)
    return target


def _celery(place: Path) -> Iterator[tuple[str, Path]]:
    wanted = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "celery==5.7.0"]
    _run([sys.executable, "-m", "pip", "download", "-q", "-d", str(place), *wanted])
    docs = _unpacked(next(place.glob("celery-*.tar.gz"))) / "docs"
    dropped = ("_ext", "_static", "_templates", "images", "spelling_wordlist.txt")
    for source in _files(docs, ".rst", ".txt"):
        path = source.relative_to(docs)
        if path.parts[0] not in dropped:
            yield str(path), source


def _fastify(place: Path) -> Iterator[tuple[str, Path]]:
    yield from _of_npm(place, "fastify@5.12.8", "docs", "")
    yield from _of_npm(place, "pino@10.4.0", "docs", "pino/")


def _npm_cli(place: Path) -> Iterator[tuple[str, Path]]:
    yield from _of_npm(place, "npm@11.21.2", "docs/content", "")


def _of_npm(place: Path, package: str, under: str, prefix: str) -> Iterator[tuple[str, Path]]:
    own = place / package.partition("@")[0]
    own.mkdir()
    _run(["npm", "pack", "--silent", "--pack-destination", str(own), package])
    docs = _unpacked(next(own.glob("*.tgz"))) / under
    for source in _files(docs, ".md"):
        yield f"{prefix}{source.relative_to(docs)}", source


def _developers_reference(place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages as Sphinx ships them beside the HTML; no source package could be fetched."""
    for package in ("developers-reference", "debian-policy"):
        _run(["apt-get", "download", "-q", package], place)
        unpacked = place / package
        _run(["dpkg", "-x", str(next(place.glob(f"{package}_*.deb"))), str(unpacked)])
        for source in _files(unpacked, ".rst.txt"):
            yield f"{package}/{source.name.removesuffix('.txt')}", source
        for packed in _files(unpacked, ".txt.gz"):
            source = packed.with_suffix("")
            source.write_bytes(gzip.decompress(packed.read_bytes()))
            if source.name not in _TWICE:
                yield f"{package}/{source.name}", source


def _etcd(place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages of API 3; those of API 2 answer the same questions otherwise."""
    _run(["apt-get", "download", "-q", "etcd-server=3.4.23*"], place)
    _run(["dpkg", "-x", str(next(place.glob("etcd-server_*.deb"))), str(place)])
    docs = place / "usr" / "share" / "doc" / "etcd-server"
    for packed in _files(docs, ".md.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    for source in _files(docs, ".md"):
        path = source.relative_to(docs)
        if path.parts[0] not in ("v2", "README.md"):
            yield str(path), source


def _hatch(place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages without posts on releases and changelogs, which repeat the others."""
    docs = _source_of_pypi(place, "hatch", "hatch-1.18.2.tar.gz") / "docs"
    for source in _files(docs, ".md"):
        path = source.relative_to(docs)
        if path.parts[0] not in ("blog", "history"):
            yield str(path), source


def _synapse(place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages without the changelogs, which are half of the text."""
    docs = _source_of_pypi(place, "matrix-synapse", "matrix_synapse-1.163.2.tar.gz") / "docs"
    for source in _files(docs, ".md"):
        path = source.relative_to(docs)
        if path.parts[0] not in ("changelogs", "website_files"):
            yield str(path), source


def _scrapy(place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages without the release notes, which tell what was otherwise once."""
    docs = _source_of_pypi(place, "scrapy", "scrapy-2.19.0.tar.gz") / "docs"
    for source in _files(docs, ".rst"):
        path = source.relative_to(docs)
        if str(path) != "news.rst":
            yield str(path), source


def _source_of_pypi(place: Path, package: str, archive: str) -> Path:
    """Return the unpacked source; pip would build its metadata first, which takes compilers."""
    index = f"{PyPI.simple_url}/{package}/"
    with urllib.request.urlopen(index) as answer:
        listed = answer.read().decode()
    found = re.search(rf'href="([^"#]*/{re.escape(archive)})[#"]', listed)
    if found is None:
        raise FileNotFoundError(f"{index} does not list {archive}")
    urllib.request.urlretrieve(found[1], place / archive)
    return _unpacked(place / archive)


_TWICE = frozenset(
    {"policy.txt", "upgrading-checklist.txt", "developers-reference.txt", "fhs-3.0.txt"}
)
"""Pages that are there as reStructuredText, too, and a standard that nothing is asked about."""


def _files(folder: Path, *endings: str) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name.endswith(endings))


def _unpacked(archive: Path) -> Path:
    with tarfile.open(archive) as packed:
        packed.extractall(archive.parent / "unpacked", filter="data")
    return next(path for path in (archive.parent / "unpacked").iterdir() if path.is_dir())


def _run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)


_PAGES: dict[str, Callable[[Path], Iterator[tuple[str, Path]]]] = {
    "celery": _celery,
    "developers-reference": _developers_reference,
    "etcd": _etcd,
    "fastify": _fastify,
    "hatch": _hatch,
    "npm-cli": _npm_cli,
    "scrapy": _scrapy,
    "synapse": _synapse,
}
