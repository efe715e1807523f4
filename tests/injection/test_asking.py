"""The same hostile documents through the whole line: taken in, retrieved, and put to a model.

Here every step is played by the obedient model: it routes, plans, selects, judges and writes.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sextant.core import Sextant
from sextant.types import Answer, Scope
from tests.ask.model_steps.playing import ask, in_place, with_model
from tests.injection.disguises import DISGUISES, TRUTH
from tests.injection.obedient import obedient
from tests.injection.orders import ORDERS
from tests.injection.test_hostile_documents import harmless

QUESTION = "Who owns Process X, and when does it run?"
IN_FILES = [
    "plain",
    "html comment",
    "css",
    "image text",
    "reference",
    "zero width",
    "tag signs",
    "system message",
    "chat template",
    "closing a fence",
    "reply in a document",
    "table",
    "front matter",
    "base64",
    "fake citations",
]


def tree(name: str) -> dict[str, str]:
    """Return a folder with a good page and a hostile one for each order."""
    files = {"process-x.md": f"# Process X\n\n{TRUTH}\n"}
    for number, order in enumerate(ORDERS):
        text = DISGUISES[name](order.text).chunk.text
        head = "" if text.startswith("---") else f"# Notes {number} on Process X\n\n"
        files[f"notes-{number}.md"] = f"{head}{text}\n"
    return files


@pytest.mark.parametrize("always", [False, True], ids=["obedient", "possessed"])
@pytest.mark.parametrize("name", IN_FILES)
def test_the_whole_line_says_the_truth_and_nothing_else(name: str, always: bool) -> None:
    async def task(sextant: Sextant) -> None:
        model = obedient(always=always)
        # A router's message cannot be checked: who does not trust a model lets it search.
        rules = replace(sextant.settings.ask, no_rag="search" if always else "reply")
        own = replace(sextant, settings=replace(sextant.settings, ask=rules))
        answer: Answer = await ask(with_model(own, model), QUESTION)
        harmless(answer.text, ORDERS)
        # Its router and its judge decide: a model that lies throughout can refuse, and no more.
        assert always or "Team Y" in answer.text
        assert all(not prompt.tools for prompt in model.prompts)
        checked = await sextant.verify(Scope(), answer)
        assert checked.ok, checked.failed

    in_place(task, tree(name))
