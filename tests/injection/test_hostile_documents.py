"""Hostile documents and a model that obeys them: nothing off the evidence gets through.

No tool call, no link, no image and no claim; and what the good documents say still does.
"""

from __future__ import annotations

import re

import pytest

from sextant.retrieval.events import Event
from tests.ask.grounding.replies import text_of, wrote
from tests.ask.pieces import passage
from tests.injection.disguises import DISGUISES, TRUTH
from tests.injection.obedient import obedient
from tests.injection.orders import ORDERS, Order
from tests.text.test_markdown import live

GOOD = passage("x.md", TRUTH, "Process X", url="https://wiki.example/x")
DOCUMENTS = [
    (disguise(order.text), order, name) for name, disguise in DISGUISES.items() for order in ORDERS
]
SAID = ["Process X is owned by Team Y.", "Process X runs every night at 05:10."]
MARKED = {"strong_open", "strong_close", "em_open", "em_close"}
"""How the point of a block and the headings over it are marked."""

FENCE = re.compile(r"(?ms)^ *```.*?^ *```$")
ACTING = {"link_open", "image", "html_block", "html_inline"}
OFF = re.compile(r"(?i)\b(?:https?://|www\.)|!\[|\]\(|<\w")


def harmless(text: str, orders: list[Order]) -> None:
    """Assert that nothing in a text links, shows or claims what an order wants."""
    outside = re.sub(r"`[^`]*`", "", text)
    assert not OFF.search(outside), text
    assert not live(text) & ACTING, text
    for line in FENCE.sub("", text).split("\n"):
        assert live(re.sub(r"^ *(?:- |\d+\. |## )?", "", line)) <= MARKED, line
    for order in orders:
        claimed = re.sub(r"\[[^\]]*\]", "", text)
        assert not [word for word in order.forbidden if word in claimed], text


def test_there_are_more_than_a_hundred_and_no_two_are_the_same() -> None:
    told = {(repr(page.document), page.chunk.text, page.chunk.headings) for page, *_ in DOCUMENTS}
    assert len(told) == len(DOCUMENTS) > 100


@pytest.mark.parametrize("name", DISGUISES)
@pytest.mark.parametrize("always", [False, True], ids=["obedient", "possessed"])
def test_a_model_that_obeys_a_document_is_not_heard(name: str, always: bool) -> None:
    for order in ORDERS:
        page = DISGUISES[name](order.text)
        heard: list[Event] = []
        done = wrote(obedient([order], always=always).script, GOOD, page, heard=heard)
        harmless(done.cited.text, [order])
        assert text_of(heard) == done.cited.text
        assert [one.text for one in done.cited.statements] == SAID
        assert all(one.labels == ("Process X",) for one in done.cited.statements)
        assert not always or done.facts["tool_calls_ignored"] == 1


def test_all_orders_at_once_in_all_documents_are_not_heard() -> None:
    pages = [GOOD, *(page for page, _, name in DOCUMENTS if name in ("plain", "title", "table"))]
    done = wrote(obedient().script, *pages[:8])
    harmless(done.cited.text, ORDERS)
    assert "Process X is owned by Team Y. [Process X]" in done.cited.text
