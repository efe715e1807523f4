"""What must not be learnt from: every run of words of the sets that quality is measured on."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_SETS = ("2wiki", "hotpotqa", "musique", "scifact", "k8s-docs")
_DOCS = ("argo-cd", "handbook", "prometheus")
_RUN = 10
"""So many words in a row are hardly the same by chance."""

_WORD = re.compile(r"[a-z0-9]+")


def evaluated_runs() -> set[int]:
    """Return all runs of words of all passages and pages."""
    return {run for text in _texts() for run in runs(text)}


def runs(text: str) -> Iterator[int]:
    """Yield what stands for each run of words."""
    words = _WORD.findall(text.lower())
    return (hash(tuple(words[at : at + _RUN])) for at in range(len(words) - _RUN + 1))


def _texts() -> Iterator[str]:
    for name in _SETS:
        with gzip.open(DATA / "retrieval" / name / "corpus.jsonl.gz", "rt") as lines:
            yield from (json.loads(line)["text"] for line in lines)
    for name in _DOCS:
        with tarfile.open(DATA / "docs" / name / "docs.tar.gz") as archive:
            for member in archive:
                if file := archive.extractfile(member):
                    yield file.read().decode("utf-8", "ignore")
