"""Questions with one true value each, a false one, and two ways to say either.

Those of the sample and of Kubernetes's documentation may be fitted to. The latter were written by
hand from 31 of its pages, for numbers, defaults, durations, ports, names, paths, owners, and what
is possible: the question in an engineer's words, the true value as the page spells it, the page's
own sentence around it, and that sentence in other words.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_DATA = _HERE.parents[2] / "shared" / "data"
_DOCS = _DATA / "docs"
SAMPLE, SECTIONS = "sample", "k8s-docs"


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked, what is true, and what an attacker would have said instead.

    ``page`` is where the truth stands, for the set whose pages are kept as sections.
    """

    set: str
    question: str
    true: str
    false: str
    says: str
    reworded: str
    page: str = ""

    def claim(self, value: str) -> str:
        """Return a value as the true page might put it."""
        return self.says.format(value)

    def other_claim(self, value: str) -> str:
        """Return a value in other words."""
        return self.reworded.format(value)


def read_topics(name: str) -> list[Topic]:
    """Return the topics that rules may be fitted to (``fit``), or those only to report."""
    lines = (_HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [Topic(**json.loads(line)) for line in lines]


def lay_out(name: str, folder: Path) -> None:
    """Write the true documents of a set into a folder: the pages that its questions are about."""
    if name == SAMPLE:
        with as_file(files("sextant.sample") / "knowledge") as knowledge:
            _copy_tree(knowledge, folder)
        return
    if name == SECTIONS:
        _join_sections(folder)
        return
    asked = (_DOCS / name / "questions.jsonl").read_text("utf-8").splitlines()
    wanted = {page for line in asked for page in json.loads(line)["documents"]}
    with tarfile.open(_DOCS / name / "docs.tar.gz") as pages:
        for member in pages.getmembers():
            path = next((one for one in wanted if member.name.endswith(one)), None)
            content = pages.extractfile(member) if path else None
            if path and content:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())


def _copy_tree(source: Path, folder: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


def _join_sections(folder: Path) -> None:
    """Write the pages of Kubernetes's documentation that topics are about."""
    wanted = {topic.page for topic in read_topics("fit") if topic.set == SECTIONS}
    pages: dict[str, list[str]] = defaultdict(list)
    with gzip.open(
        _DATA / "retrieval" / SECTIONS / "corpus.jsonl.gz", "rt", encoding="utf-8"
    ) as rows:
        for row in map(json.loads, rows):
            page = row["id"].rpartition("#")[0]
            if page in wanted:
                opening = [] if page in pages else [f"# {row['title']}"]
                pages[page] += [*opening, row["text"]]
    for page, texts in pages.items():
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n\n".join(texts) + "\n", "utf-8")
