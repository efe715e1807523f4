import asyncio
import itertools
import ssl
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from sextant.errors import (
    BrokenFile,
    Ignored,
    InvalidInput,
    TooMuch,
    UnknownFormat,
    Unreachable,
    UnsafeSource,
)
from sextant.ingest.sources import SourceRules, complete, fetched, gather, items, place_of
from sextant.ingest.sources.web.addresses import Resolve
from sextant.ingest.values import Item, Refusal
from sextant.version import __version__
from tests.certificates import make_certificate
from tests.ingest.sources.looking import Found, paths, refused, skipped, texts
from tests.ingest.sources.webserver import Answer, Site, moved, packed, page, serving, text

PUBLIC = "93.184.216.34"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def visit(
    address: str,
    resolve: Resolve | None = None,
    tls: ssl.SSLContext | None = None,
    **rules: object,
) -> Found:
    chosen = {"private_addresses": True, "delay_seconds": 0.0} | rules

    async def run() -> Found:
        found = fetched(place_of(address), SourceRules(**chosen), resolve, tls)  # type: ignore[arg-type]
        return [what async for what in found]

    return asyncio.run(run())


def reason(found: Found) -> Refusal:
    [refusal] = found
    assert isinstance(refusal, Refusal)
    return refusal


def resolving(*answers: Sequence[str]) -> Resolve:
    """Resolve every host to the answers in turn, the last one for good."""
    queue = list(answers)

    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return queue.pop(0) if len(queue) > 1 else queue[0]

    return resolve


def test_a_page_comes_with_its_address_type_and_time(site: Site) -> None:
    site.answers["/guide/intro?v=2"] = Answer(
        b"<p>hello",
        headers={
            "Content-Type": "text/html; charset=utf-8",
            "Last-Modified": "Sun, 17 May 2026 08:30:00 GMT",
        },
    )
    [item] = visit(f"{site.root}/guide/intro?v=2#top")
    assert isinstance(item, Item)
    assert item.load() == b"<p>hello"
    assert (item.path, item.url) == ("guide/intro?v=2", f"{site.root}/guide/intro?v=2")
    assert item.media_type == "text/html; charset=utf-8"
    assert item.modified == datetime(2026, 5, 17, 8, 30, tzinfo=UTC)
    assert item.size == 8


def test_the_visitor_says_who_it_is_and_asks_for_the_rules_first(site: Site) -> None:
    site.answers["/"] = page()
    visit(site.root)
    assert site.asked == ["/robots.txt", "/"]
    assert {headers["User-Agent"] for headers in site.headers} == {f"Sextant/{__version__}"}
    assert {headers["Host"] for headers in site.headers} == {f"127.0.0.1:{site.port}"}


def test_without_depth_no_link_is_followed(site: Site) -> None:
    site.answers["/"] = page("/a")
    assert paths(visit(site.root)) == ["index"]


def test_gather_reads_sites_and_files_alike(site: Site, tmp_path: Path) -> None:
    site.answers["/a"] = text(b"from the site")
    (tmp_path / "a").write_bytes(b"from the folder")
    for number in range(200):
        (tmp_path / f"b{number:03}").touch()

    async def run(address: str) -> Found:
        rules = SourceRules(private_addresses=True)
        return [what async for what in gather(place_of(address), rules)]

    assert texts(asyncio.run(run(f"{site.root}/a"))) == {"a": b"from the site"}
    found = texts(asyncio.run(run(str(tmp_path))))
    assert found["a"] == b"from the folder"
    assert len(found) == 201


def test_a_site_is_not_listed_without_fetching() -> None:
    with pytest.raises(InvalidInput, match="site"):
        items(place_of("https://example.com"), SourceRules())


def test_a_graph_with_loops_is_walked_once_nearest_pages_first(site: Site) -> None:
    site.answers = {
        "/docs/": page("a", "b#part", "/docs/a", "sub/c", "./"),
        "/docs/a": page("/docs/", "d", "a?", "a#x"),
        "/docs/b": page("b", "a"),
        "/docs/sub/c": page("../d", "e"),
        "/docs/d": page("/docs/deep"),
        "/docs/sub/e": page(),
    }
    found = visit(f"{site.root}/docs/", depth=2)
    assert paths(found) == ["docs", "docs/a", "docs/b", "docs/sub/c", "docs/d", "docs/sub/e"]
    assert len(site.asked) == len(set(site.asked))
    assert complete(what for what in found if isinstance(what, Refusal))


def test_only_the_folder_of_the_first_page_on_the_same_site_is_walked(site: Site) -> None:
    site.answers = {
        "/docs/index.html": page(
            "a",
            "/blog/x",
            "../up",
            f"http://localhost:{site.port}/docs/z",
            "https://127.0.0.1/docs/s",
        ),
        "/docs/a": page("//other.example/docs/y", "mailto:x@y", "javascript:void(0)", "http://["),
    }
    assert paths(visit(f"{site.root}/docs/index.html", depth=9)) == ["docs/index.html", "docs/a"]
    assert site.asked == ["/robots.txt", "/docs/index.html", "/docs/a"]


def test_the_number_of_pages_is_limited_and_the_gap_is_told(site: Site) -> None:
    site.answers = {f"/{n}": page(f"/{n + 1}", f"/{n + 2}") for n in range(50)}
    found = visit(f"{site.root}/0", depth=50, most_pages=7)
    assert len(paths(found)) == 7
    assert refused(found) == {"./": TooMuch}


def test_a_trap_of_endless_links_ends(site: Site) -> None:
    site.answers["/"] = page(*(f"/{n}" for n in range(5000)))
    found = visit(site.root, depth=3, most_pages=3)
    assert len(site.asked) <= 4
    assert not complete(what for what in found if isinstance(what, Refusal))


def test_links_that_ask_not_to_be_followed_are_not(site: Site) -> None:
    links = '<a rel="nofollow" href="/a">x</a><a href="/b">x</a>'
    site.answers = {
        "/": Answer(links.encode(), headers={"Content-Type": "text/html"}),
        "/b": page("/c", head='<meta name="Robots" content="index, NOFOLLOW">'),
    }
    assert paths(visit(site.root, depth=5)) == ["index", "b"]
    site.answers["/b"] = page("/d")
    site.answers["/b"].headers = {"Content-Type": "text/html", "X-Robots-Tag": "nofollow"}
    assert paths(visit(site.root, depth=5)) == ["index", "b"]


def test_links_are_relative_to_the_base_of_their_page(site: Site) -> None:
    site.answers = {"/": page("x", head='<base href="/sub/">'), "/sub/x": page()}
    assert paths(visit(site.root, depth=1)) == ["index", "sub/x"]


def test_robots_txt_is_honoured(site: Site) -> None:
    site.answers = {
        "/robots.txt": text(b"User-agent: *\nDisallow: /secret\n"),
        "/": page("/secret/a", "/open"),
        "/open": page(),
        "/secret/a": page(),
    }
    found = visit(site.root, depth=1)
    assert paths(found) == ["index", "open"]
    assert skipped(found) == {"secret/a"}
    assert "/secret/a" not in site.asked
    assert refused(visit(f"{site.root}/secret/a")) == {"./": refusal_kind(found)}


def refusal_kind(found: Found) -> type[Exception]:
    [kind] = {type(what.error) for what in found if isinstance(what, Refusal)}
    assert issubclass(kind, Ignored)
    return kind


def test_a_site_whose_robots_txt_fails_is_left_alone(site: Site) -> None:
    site.answers = {"/robots.txt": Answer(b"", 503), "/": page()}
    assert refused(visit(site.root)) == {"./": Unreachable}
    assert site.asked == ["/robots.txt"]


@pytest.mark.parametrize(
    "robots", [b"\xff\xfe" * 100, b"User-agent: *\nAllow: http://[\n", b"x" * 2_000_000]
)
def test_a_robots_txt_without_sense_forbids_nothing(site: Site, robots: bytes) -> None:
    site.answers = {"/robots.txt": text(robots), "/": page()}
    assert paths(visit(site.root)) == ["index"]


def test_a_robots_txt_may_move(site: Site) -> None:
    site.answers = {
        "/robots.txt": moved("/rules"),
        "/rules": text(b"User-agent: sextant\nDisallow: /a\nCrawl-delay: 0.01\n"),
        "/": page("/a"),
    }
    assert skipped(visit(site.root, depth=1)) == {"a"}
    site.answers["/rules"] = moved("/robots.txt")
    site.answers["/a"] = page()
    assert paths(visit(site.root, depth=1)) == ["index", "a"]


def test_there_is_a_pause_between_requests(site: Site) -> None:
    site.answers = {"/": page("/a", "/b"), "/a": page(), "/b": page()}
    before = time.monotonic()
    visit(site.root, depth=1, delay_seconds=0.05)
    assert time.monotonic() - before >= 0.1


def test_of_several_addresses_the_first_that_answers_is_used(site: Site) -> None:
    site.answers["/"] = page()
    resolve = resolving(["127.9.9.9", "127.0.0.1"])
    assert paths(visit(f"http://docs.example:{site.port}/", resolve)) == ["index"]


def test_a_missing_page_is_gone_and_hides_nothing_else(site: Site) -> None:
    site.answers = {"/": page("/missing", "/ok"), "/ok": page()}
    found = visit(site.root, depth=1)
    assert paths(found) == ["index", "ok"]
    assert [issubclass(kind, Unreachable) for kind in refused(found).values()] == [True]
    assert complete(what for what in found if isinstance(what, Refusal))


def test_a_failing_page_makes_the_listing_incomplete(site: Site) -> None:
    site.answers = {"/": page("/bad", "/ok"), "/ok": page(), "/bad": Answer(b"", 500)}
    found = visit(site.root, depth=1)
    assert paths(found) == ["index", "ok"]
    assert refused(found) == {"bad": Unreachable, "./": Unreachable}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429, 500, 503])
def test_a_first_page_that_cannot_be_had_is_the_whole_place(site: Site, status: int) -> None:
    site.answers["/"] = Answer(b"no", status)
    refusal = reason(visit(site.root))
    assert refusal.path == "./"
    assert isinstance(refusal.error, Unreachable)
    assert str(status) in refusal.error.message


def test_nobody_listening_is_unreachable() -> None:
    with serving() as site:
        root = site.root
    refusal = reason(visit(root))
    assert isinstance(refusal.error, Unreachable)


def test_redirects_are_followed_and_the_last_address_counts(site: Site) -> None:
    site.answers = {"/old": moved("/new/"), "/new/": page("/old", "a"), "/new/a": moved("/new/")}
    found = visit(f"{site.root}/old", depth=2)
    [item] = [what for what in found if isinstance(what, Item)]
    assert (item.path, item.url) == ("new", f"{site.root}/new/")


def test_a_link_that_redirects_off_the_site_is_skipped_unfetched(site: Site) -> None:
    site.answers = {"/docs/": page("out"), "/docs/out": moved("/private"), "/private": page()}
    found = visit(f"{site.root}/docs/", depth=1)
    assert skipped(found) == {"docs/out"}
    assert "/private" not in site.asked


def test_endless_redirects_end(site: Site) -> None:
    site.answers = {f"/{n}": moved(f"/{n + 1}") for n in range(30)} | {"/loop": moved("/loop")}
    for start in ("/0", "/loop"):
        assert isinstance(reason(visit(site.root + start)).error, TooMuch)
    assert site.asked.count("/loop") == 6


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x/", "http://u:p@127.0.0.1/"]
)
def test_redirects_to_other_schemes_are_refused(site: Site, target: str) -> None:
    site.answers["/"] = moved(target)
    assert isinstance(reason(visit(site.root)).error, UnsafeSource | Unreachable)
    assert site.asked == ["/robots.txt", "/"]


def test_loopback_is_refused_by_default_before_any_request(site: Site) -> None:
    for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
        refusal = reason(visit(f"http://{host}:{site.port}/", private_addresses=False))
        assert isinstance(refusal.error, UnsafeSource)
    assert site.asked == []


def test_a_name_that_resolves_to_a_private_address_is_refused(site: Site) -> None:
    for answer in (["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["::1"], ["169.254.169.254"]):
        refusal = reason(
            visit(f"http://docs.example:{site.port}/", resolving(answer), private_addresses=False)
        )
        assert isinstance(refusal.error, UnsafeSource)
    assert site.asked == []


def test_proxies_of_the_environment_are_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, site.root)
    refusal = reason(visit("http://127.0.0.2/", private_addresses=False))
    assert isinstance(refusal.error, UnsafeSource)
    assert site.asked == []


def test_the_connection_goes_to_the_address_that_was_checked(site: Site) -> None:
    """The host's name stays in the request, though only the injected resolver knows it."""
    site.answers["/"] = page()
    found = visit(f"http://docs.example:{site.port}/", resolving(["127.0.0.1"]))
    assert paths(found) == ["index"]
    assert {headers["Host"] for headers in site.headers} == {f"docs.example:{site.port}"}


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Route one public address to the loopback, as if the server were out there; note each call."""
    calls: list[str] = []
    connect = httpcore2.AnyIOBackend.connect_tcp

    async def routed(
        self: httpcore2.AnyIOBackend, host: str, port: int, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        calls.append(host)
        return await connect(self, "127.0.0.1" if host == PUBLIC else host, port, **options)

    monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", routed)
    return calls


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:{port}/x", "//localhost:{port}/x", "http://inside.example:{port}/x"],
)
def test_a_redirect_to_a_private_address_is_refused(
    site: Site, dialled: list[str], target: str
) -> None:
    site.answers = {"/": moved(target.format(port=site.port)), "/x": page()}

    async def resolve(host: str, _port: int) -> Sequence[str]:
        return [PUBLIC] if host == "docs.example" else ["127.0.0.1"]

    found = visit(f"http://docs.example:{site.port}/", resolve, private_addresses=False)
    assert isinstance(reason(found).error, UnsafeSource)
    assert set(dialled) == {PUBLIC}
    assert "/x" not in site.asked


def test_a_name_that_changes_its_address_between_requests_is_refused(
    site: Site, dialled: list[str]
) -> None:
    site.answers = {"/robots.txt": text(b""), "/": page("/a"), "/a": page()}
    site.answers["/"].headers = {"Content-Type": "text/html", "Connection": "close"}
    found = visit(
        f"http://docs.example:{site.port}/",
        resolving([PUBLIC], ["127.0.0.1"]),
        private_addresses=False,
        depth=1,
    )
    assert paths(found) == ["index"]
    assert refused(found) == {"a": UnsafeSource}
    assert dialled == [PUBLIC]
    assert "/a" not in site.asked


def test_a_name_is_asked_for_once_per_connection_and_that_answer_is_dialled(
    site: Site, dialled: list[str]
) -> None:
    """There is no moment between the check and the connection for a second answer."""
    site.answers = {"/robots.txt": text(b""), "/": page()}
    answers = resolving([PUBLIC], ["127.0.0.1"])
    found = visit(f"http://docs.example:{site.port}/", answers, private_addresses=False)
    assert paths(found) == ["index"]
    assert dialled == [PUBLIC]


@pytest.mark.parametrize("kind", ["image/png", "video/mp4", "application/zip", "image/svg+xml"])
def test_content_that_nobody_reads_is_refused_by_its_type(site: Site, kind: str) -> None:
    site.answers["/"] = text(b"x", kind)
    assert isinstance(reason(visit(site.root)).error, UnknownFormat)


@pytest.mark.parametrize("kind", ["text/markdown", "application/pdf", "application/ld+json", ""])
def test_content_that_lies_about_its_type_is_passed_on_as_it_says(site: Site, kind: str) -> None:
    site.answers["/"] = Answer(b"\x89PNG", headers={"Content-Type": kind} if kind else {})
    [item] = visit(site.root)
    assert isinstance(item, Item)
    assert (item.media_type, item.load()) == (kind, b"\x89PNG")


def test_a_body_that_never_ends_is_cut_off(site: Site) -> None:
    endless = Answer(
        lambda: itertools.repeat(b"x" * 10_000), headers={"Content-Type": "text/plain"}
    )
    site.answers["/"] = endless
    assert isinstance(reason(visit(site.root, most_bytes=1_000_000)).error, TooMuch)


def test_a_body_that_announces_too_much_is_not_read(site: Site) -> None:
    site.answers["/"] = text(bytes(2000))
    assert isinstance(reason(visit(site.root, most_bytes=1000)).error, TooMuch)


def test_a_body_that_unpacks_to_too_much_is_cut_off(site: Site) -> None:
    site.answers = {"/": packed(50_000_000), "/small": packed(5000)}
    assert isinstance(reason(visit(site.root, most_bytes=1_000_000)).error, TooMuch)
    assert list(texts(visit(f"{site.root}/small")).values()) == [bytes(5000)]


def test_a_body_that_does_not_unpack_is_broken(site: Site) -> None:
    headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    site.answers["/"] = Answer(b"not gzip at all", headers=headers)
    assert isinstance(reason(visit(site.root)).error, BrokenFile)


def test_a_site_that_falls_silent_is_given_up(site: Site) -> None:
    def silent() -> Iterator[bytes]:
        yield b"<p>"
        site.stopped.wait(20)

    site.answers["/"] = Answer(silent, headers={"Content-Type": "text/html"})
    assert isinstance(reason(visit(site.root, read_seconds=0.2)).error, Unreachable)


def test_a_site_that_trickles_is_given_up_in_the_end(site: Site) -> None:
    def trickle() -> Iterator[bytes]:
        while not site.stopped.wait(0.02):
            yield b"x"

    site.answers["/"] = Answer(trickle, headers={"Content-Type": "text/html"})
    refusal = reason(visit(site.root, read_seconds=5.0, page_seconds=0.5))
    assert isinstance(refusal.error, TooMuch)


def test_tls_checks_the_name_and_not_the_address(tmp_path: Path) -> None:
    certificate, server_side = make_certificate(tmp_path, "docs.example", addresses=())
    ours = ssl.create_default_context(cafile=str(certificate))
    with serving(server_side) as site:
        site.answers["/"] = page()
        resolve = resolving(["127.0.0.1"])
        assert paths(visit(f"https://docs.example:{site.port}/", resolve, ours)) == ["index"]
        site.answers["/down"] = moved(f"http://docs.example:{site.port}/")
        down = reason(visit(f"https://docs.example:{site.port}/down", resolve, ours))
        assert isinstance(down.error, UnsafeSource)
        wrong = reason(visit(f"https://other.example:{site.port}/", resolve, ours))
        assert isinstance(wrong.error, Unreachable)
        assert "certificate" in wrong.error.message.lower()
