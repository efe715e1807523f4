"""A memory is trusted as far as it would have helped the requests that it holds."""

from __future__ import annotations

import random

from sextant.toolbox.index import ToolIndex, with_memory
from sextant.toolbox.learn.trust import measure_trust
from sextant.types import ToolUse, UsedTool
from tests.toolbox.catalogues import WIDTH, index_of, tool, vector_of

TOOLS = [tool(f"s.tool{number}", f"words{number}") for number in range(30)]
THEMES = [f"theme {number}" for number in range(6)]


def remembering(called: list[str]) -> tuple[ToolIndex, list[str]]:
    """Return an index that remembers a request for each of some tools, six requests in turn."""
    texts = [THEMES[number % len(THEMES)] for number in range(len(called))]
    uses = [
        ToolUse(str(number), (UsedTool(name),), text, vector=vector_of(text))
        for number, (name, text) in enumerate(zip(called, texts, strict=True))
    ]
    return with_memory(index_of(TOOLS), uses, WIDTH, 1_000), texts


def test_requests_that_recur_with_their_tools_are_trusted() -> None:
    called = [f"s.tool{number % len(THEMES)}" for number in range(60)]
    assert measure_trust(*remembering(called)) > 0


def test_requests_with_tools_at_random_are_not_trusted() -> None:
    chance = random.Random(5)
    assert measure_trust(*remembering([chance.choice(TOOLS).id for _ in range(200)])) == 0


def test_a_few_requests_are_trusted_as_much_as_a_good_match() -> None:
    assert measure_trust(*remembering(["s.tool1", "s.tool2"])) == 0.5
