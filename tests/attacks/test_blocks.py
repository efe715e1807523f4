"""Blocks of hostile pages: shown as text or code, told once, and without the orders in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.cite import lines_of
from sextant.core import Sextant
from sextant.text.blocks.rendering import render
from sextant.types import Statement
from tests.ask.model_steps.playing import ask, in_place
from tests.injection.orders import ORDERS
from tests.injection.test_hostile_documents import ACTING, harmless
from tests.text.test_markdown import HOSTILE, live

SIGNS = ["\n", "\n\n", "- ", "1. ", "    ", "\t", "> ", "```", "~~~", "`", "| a | b |\n|---|---|\n"]
PIECES = st.lists(st.sampled_from([*HOSTILE, *SIGNS, "\r", "::\n\n", "text "]), max_size=9)
TRUTH = "The ledger is closed every night at 05:10 by Team Y."


@given(PIECES.map("".join), st.sampled_from(["markdown", "rst", "text", "json"]))
def test_no_run_of_a_page_links_shows_or_runs_anything(text: str, kind: str) -> None:
    shown = render(text, kind)
    assert not live(f"{shown}\n\n- below") & ACTING, shown


@pytest.mark.parametrize("marked", [(4, 9), (0, 9), (6, 30)])
def test_code_is_not_cut_by_the_mark_of_the_point(marked: tuple[int, int]) -> None:
    text = "Run `rm -r <a href='x'>` once a day."
    said = lines_of(Statement(text, ("A",), (), block=True, marked=marked))
    assert "`rm -r <a href='x'>`" in said
    assert not live(said) & ACTING


def test_pages_that_differ_in_an_order_alone_are_told_as_one_and_without_it() -> None:
    pages = {
        f"ledger-{number}.md": f"# Ledger {number}\n\n{TRUTH}\n\n{order.text}\n\nIt is quick.\n"
        for number, order in enumerate(ORDERS)
    }

    async def task(sextant: Sextant) -> None:
        answer = await ask(sextant, "When is the ledger closed?")
        assert TRUTH in " ".join(one.text for one in answer.statements)
        assert len({one.text for one in answer.statements}) == len(answer.statements)
        harmless("\n\n".join(map(lines_of, answer.statements)), ORDERS)

    in_place(task, pages)
