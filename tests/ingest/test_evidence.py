"""The sentence that is told with a relation is the one that says it."""

from __future__ import annotations

import asyncio

import pytest

from sextant.types import Relation, Walk
from tests.ingest.folders import SCOPE, workplace

TEAM = "# Team Heron\n\nTeam Heron is a team.\n"
LAMP = "# Lamp Service\n\nLamp Service is a service.\n"


def said(page: str, kind: str) -> list[str]:
    """Return the sentences for the relations of a kind of Ferry Desk."""

    async def task() -> list[str]:
        async with workplace() as place:
            tree = {"desk.md": f"# Ferry Desk\n\n{page}\n", "team.md": TEAM, "lamp.md": LAMP}
            await place.take_in(tree)
            walk = Walk(frozenset({kind}))
            around = await place.sextant.expand(SCOPE, ["ferry-desk"], walk)
            edges: list[Relation] = [link.relation for link in around.links]
            return list(await place.sextant.sentences(SCOPE, edges))

    return asyncio.run(task())


@pytest.mark.parametrize(
    ("page", "kind", "sentence"),
    [
        (
            "Ferry Desk sells tickets. It is owned by Team Heron. It was built in 2020.",
            "owned_by",
            "It is owned by Team Heron.",
        ),
        (
            "Ferry Desk is owned by the harbour. It is maintained by Team Heron.",
            "owned_by",
            "It is maintained by Team Heron.",
        ),
        (
            "Ferry Desk and Team Heron grew up together. Ferry Desk is owned by Team Heron.",
            "owned_by",
            "Ferry Desk is owned by Team Heron.",
        ),
        (
            "Ferry Desk greets Lamp Service. It depends on Team Heron and Lamp Service.",
            "depends_on",
            "It depends on Team Heron and Lamp Service.",
        ),
        (
            "Ferry Desk was not owned by Team Heron at first. It is owned by Team Heron.",
            "owned_by",
            "It is owned by Team Heron.",
        ),
        (
            "Lamp Service is a friend of Ferry Desk. It is used by Lamp Service.",
            "uses",
            "It is used by Lamp Service.",
        ),
    ],
)
def test_it_is_the_one_with_the_words_for_it(page: str, kind: str, sentence: str) -> None:
    assert set(said(page, kind)) == {sentence}


def test_where_no_words_say_it_both_names_will_do() -> None:
    page = "Ferry Desk is old. Ferry Desk waved to Lamp Service."
    assert said(page, "mentioned_with") == ["Ferry Desk waved to Lamp Service."]
