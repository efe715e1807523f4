"""Which web address a file has."""

from __future__ import annotations

import asyncio

import pytest

from sextant.errors import ConfigError, Forbidden, InvalidInput
from sextant.ingest.flow import Options
from sextant.ingest.shaping.addresses import page_address
from sextant.limits import check_base_url
from sextant.settings import Rule
from sextant.settings.values import convert
from sextant.types import Scope
from tests.ingest.folders import SCOPE, Tree, Workplace, lay_out, workplace

BASE = "https://docs.example.org/"
PAGES: Tree = {
    "index.md": "# Home\n\nThe manual of Harbor Queue.\n",
    "guide/start.md": "# Start\n\nHarbor Queue is started by hand.\n",
    "guide/own.md": "---\nurl: https://elsewhere.example/own\n---\n# Own\n\nKept elsewhere.\n",
    "guide/rooted.md": "---\nurl: /rooted/\n---\n# Rooted\n\nKept at the root.\n",
}


async def addresses(place: Workplace) -> dict[str, str]:
    """Return where each document is read."""
    found = await place.sextant.store.truth.documents(SCOPE, "", 100)
    return {document.id: document.url for document in found}


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("index.md", ""),
        ("README.md", ""),
        ("guide/index.md", "guide/"),
        ("guide/_index.md", "guide/"),
        ("guide/start.md", "guide/start/"),
        ("guide/v1.2/start.mdx", "guide/v1.2/start/"),
        ("guide/start.rst", "guide/start.html"),
        ("guide/start.html", "guide/start.html"),
        ("files/price list.pdf", "files/price%20list.pdf"),
        ("guide/Übersicht (neu).md", "guide/%C3%9Cbersicht%20%28neu%29/"),
    ],
)
def test_a_path_is_served_as_generators_of_sites_serve_it(path: str, address: str) -> None:
    assert page_address(BASE, path) == BASE + address
    assert page_address(BASE.rstrip("/"), path) == BASE + address


def test_an_address_may_say_where_the_path_goes() -> None:
    source = "https://code.example/team/docs/blob/main/{path}?plain=1"
    assert page_address(source, "a/b.md") == source.replace("{path}", "a/b.md")
    assert page_address("https://d.example/{stem}.html#top", "a/b.md") == (
        "https://d.example/a/b.html#top"
    )


def test_the_own_address_of_a_document_goes_before_the_base() -> None:
    assert page_address(BASE, "a.md", "https://b.example/c") == "https://b.example/c"
    assert page_address(f"{BASE}en/", "a.md", "/c/") == f"{BASE}c/"
    assert page_address("https://code.example/{path}", "a.md", "/c/") == "/c/"
    assert page_address("", "a.md") == ""
    assert page_address("", "a.md", "/c/") == "/c/"


@pytest.mark.parametrize(
    "address",
    [
        *("docs.example.org", "/docs", "ftp://docs.example/", "file:///docs/", "https://"),
        *("https://user@docs.example/", "https://docs.example/a b", "https://[docs.example/"),
        *("https://docs.example/{name}", "https://docs.example/{path", "https://{path}/"),
        *("https://docs.example/?page=", "https://docs.example/#a"),
        "https://d.example/" + "x" * 9_000,
    ],
)
def test_what_makes_no_links_is_refused_with_how_to_write_it(address: str) -> None:
    with pytest.raises(InvalidInput, match="base address") as refused:
        check_base_url(address)
    assert "https://docs.example.org/" in refused.value.hint
    with pytest.raises(ConfigError, match=r"has a rule in ingest\.rules: The base address"):
        convert(
            "ingest.rules", [{"match": "*", "base_url": address}], tuple[Rule, ...], "sextant.toml"
        )


def test_documents_link_below_the_base_of_their_last_ingest() -> None:
    async def task() -> None:
        async with workplace() as place:
            await place.take_in(PAGES, Options(base_url=BASE))
            assert await addresses(place) == {
                "docs/guide/own.md": "https://elsewhere.example/own",
                "docs/guide/rooted.md": f"{BASE}rooted/",
                "docs/guide/start.md": f"{BASE}guide/start/",
                "docs/index.md": BASE,
            }
            again = await place.ingest(options=Options(base_url=BASE))
            assert (again.unchanged, again.written) == (4, 0)
            await place.ingest()
            assert (await addresses(place))["docs/guide/start.md"] == ""
            with pytest.raises(InvalidInput):
                await place.ingest(options=Options(base_url="docs.example.org"))

    asyncio.run(task())


def test_a_rule_gives_a_folder_its_base_and_an_option_goes_before_it() -> None:
    async def task() -> None:
        async with workplace(Rule("guide/**", base_url="https://rule.example/")) as place:
            await place.take_in(PAGES)
            assert (await addresses(place))["docs/guide/start.md"] == (
                "https://rule.example/guide/start/"
            )
            assert (await addresses(place))["docs/index.md"] == ""
            await place.ingest(options=Options(base_url=BASE))
            assert (await addresses(place))["docs/guide/start.md"] == f"{BASE}guide/start/"

    asyncio.run(task())


def test_nobody_gets_an_address_that_a_rule_keeps_for_others() -> None:
    async def task() -> None:
        async with workplace(Rule("official.example/**", reputation=0.9)) as place:
            lay_out(place.docs, {"a.md": "# A\n\nPay to account 7.\n"})
            options = Options(base_url="https://official.example/")
            report = await place.sextant.ingest(Scope(user="key:1"), [str(place.docs)], options)
            assert [type(one.error) for one in report.failed] == [Forbidden]

    asyncio.run(task())


def test_records_that_came_split_stand_in_no_file_of_their_own() -> None:
    async def task() -> None:
        async with workplace() as place:
            record = '{"chunks": [{"id": "doc1#c0", "content": "Ship on Friday."}]}'
            await place.take_in({"knowledge.json": record}, Options(base_url=BASE))
            assert (await addresses(place))["doc1"] == ""

    asyncio.run(task())
