"""A model that reads passages by a plain rule, so that tests know what it must find.

It takes two capitalised words for a name, and ``leans on`` and ``is looked after by``, which no
pattern knows, for relations.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import ModelNotFound
from sextant.settings import ModelSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.types import Prompt
from tests.ingest.folders import settings_at

_PASSAGE = re.compile(r"^<<<(\w+) passage (\d+)\n(.*?)\n<<<\1 end$", re.DOTALL | re.MULTILINE)
_NAME = r"[A-Z]\w+ [A-Z]\w+"
_SAID = {"leans on": "depends_on", "is looked after by": "owned by"}
PRICED = ModelSettings(input_price=1.0, output_price=4.0, batch_concurrency=2)


def passages(prompt: Prompt) -> list[str]:
    """Return the passages that a prompt holds."""
    return [found[3] for found in _PASSAGE.finditer(prompt.messages[1].text)]


def found_in(number: int, text: str) -> dict[str, Any]:
    """Return what the clerk finds in a passage."""
    names = dict.fromkeys(re.findall(_NAME, text))
    edges = [
        {"source": one, "kind": kind, "target": other, "words": whole}
        for said, kind in _SAID.items()
        for whole, one, other in re.findall(rf"(({_NAME}) {said} ({_NAME}))", text)
    ]
    entities = [{"name": name, "type": "service", "aliases": []} for name in names]
    return {"number": number, "entities": entities, "relations": edges}


def replied(texts: Sequence[str]) -> str:
    """Return the reply to a prompt with these passages."""
    return json.dumps({"passages": [found_in(at, text) for at, text in enumerate(texts, 1)]})


def clerk(watch: Callable[[Prompt], None] = lambda _: None) -> Scripted:
    """Return the model; whoever watches sees each prompt before it is answered."""

    def script(prompt: Prompt) -> str:
        watch(prompt)
        return replied(passages(prompt))

    return Scripted(script)


def open_model(_: str, __: Settings) -> Scripted:
    """Open the clerk by its scheme, as build does."""
    return clerk()


def modelled(folder: Path, model: ModelSettings = PRICED, extractor: str = "llm") -> Settings:
    """Return settings for a store in a folder, with a model that reads."""
    own = settings_at(folder, chunk_characters=200)
    return replace(own, ingest=replace(own.ingest, extractor=extractor), model=model)


@asynccontextmanager
async def reading(settings: Settings, model: Scripted) -> AsyncIterator[Sextant]:
    """Open a store whose texts a model reads."""
    async with await open_sextant(settings) as opened:
        yield replace(opened, chat=Chat(model, load()))


def open_deaf(_: str, __: Settings) -> Scripted:
    """Open a model that never answers, and never will."""
    return Scripted(lambda _: ModelNotFound("It cannot be used.", "Name another."))
