"""A retriever behind HTTP, against a real server that does good and bad things."""

import asyncio
from dataclasses import replace

import pytest

from sextant.build import open_retriever
from sextant.errors import (
    BrokenFile,
    ConfigError,
    ReadError,
    TooMuch,
    UnknownScheme,
    Unreachable,
    UnsafeSource,
)
from sextant.links.client import LARGEST
from sextant.links.shape import LONGEST_TEXT
from sextant.ports import Retriever
from sextant.settings import RETRIEVER_KEY_VARIABLE, ModelSettings, Settings
from sextant.types import Retrieval, RetrievalRequest
from tests.links.http_server import Answering, Heard, found, served
from tests.loopback import Answer

ASK = RetrievalRequest("Who owns A?", "owner of A", "the owner", "sourceType eq 'wiki'")


def retrieved(answering: Answering, settings: Settings | None = None) -> Retrieval:
    with served(answering) as server:
        return asyncio.run(_retrieve(f"{server.url}/find", settings or Settings()))


async def _retrieve(choice: str, settings: Settings) -> Retrieval:
    retriever = open_retriever(settings, choice)
    assert isinstance(retriever, Retriever)
    try:
        return await retriever.retrieve(ASK)
    finally:
        await retriever.close()


def test_the_request_has_the_words_of_the_workflow_and_the_answer_its_shape() -> None:
    with served(lambda _: found(["one", " ", "two"], ["A", "B", "C"])) as server:
        got = asyncio.run(_retrieve(f"{server.url}/find?k=1", Settings()))
    assert got == Retrieval("used", ("one", "two"), ("A", "C"))
    (heard,) = server.heard
    assert heard.path == "/find?k=1"
    assert heard.body == {
        "user_question": "Who owns A?",
        "query": "owner of A",
        "retrieval_goal": "the owner",
        "filter": "sourceType eq 'wiki'",
    }
    assert "authorization" not in heard.headers


def test_of_more_chunks_than_are_taken_the_first_are_kept_and_the_rest_counted() -> None:
    got = retrieved(lambda _: found([f"text {n}" for n in range(25)], ["S"] * 25))
    assert got.texts == tuple(f"text {n}" for n in range(20))
    assert (len(got.sources), got.left_out) == (20, 5)


def test_a_key_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RETRIEVER_KEY_VARIABLE, "sesame-0123456789")
    seen: list[str] = []

    def answering(heard: Heard) -> Answer:
        seen.append(heard.headers["authorization"])
        return Answer(401)

    with pytest.raises(Unreachable) as caught:
        retrieved(answering)
    assert seen == ["Bearer sesame-0123456789"]
    assert "sesame" not in str(caught.value)
    assert "does not let us in (401)" in caught.value.message


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (Answer(500), Unreachable, "status 500"),
        (Answer(204), Unreachable, "status 204"),
        (Answer(429), Unreachable, "status 429"),
        (Answer(body=b"<html>hello</html>"), BrokenFile, "no JSON"),
        (Answer(body=b"[" * 100_000), BrokenFile, "no JSON"),
        (Answer(body=b'{"query_used": "x", "chunk_te', promised=999), Unreachable, "broke off"),
        (Answer(body=b"[]"), BrokenFile, "no object"),
        (Answer(body=b"{}"), BrokenFile, "without query_used"),
        (Answer(body=b'{"query_used": "x"}'), BrokenFile, "without chunk_texts"),
        (
            Answer(body=b'{"query_used": "x", "chunk_texts": [1], "chunk_sources": [""]}'),
            BrokenFile,
            "without chunk_texts",
        ),
        (found(["a"], []), BrokenFile, "1 texts and 0 sources"),
        (found(["a" * (LONGEST_TEXT + 1)], ["b"]), TooMuch, "more than"),
        (Answer(body=b" " * 65_536, pieces=LARGEST // 65_536 + 1), TooMuch, "larger than"),
        (Answer(body=b"x", headers={"content-encoding": "gzip"}), TooMuch, "compressed"),
        (Answer(302, headers={"location": "/other"}), Unreachable, "status 302"),
        (Answer(307, headers={"location": "http://127.0.0.1:1/"}), UnsafeSource, "another server"),
        (Answer(308, headers={"location": "https://evil.example/"}), UnsafeSource, "another"),
        (Answer(307, headers={"location": "/find"}), Unreachable, "on and on"),
        (Answer(307, headers={"location": "//:bad"}), Unreachable, "cannot be reached"),
        (Answer(307), Unreachable, "status 307"),
    ],
)
def test_what_is_no_answer_is_a_typed_error(
    answer: Answer, error: type[ReadError], told: str
) -> None:
    with pytest.raises(error) as caught:
        retrieved(lambda _: answer)
    assert told in caught.value.message
    assert "127.0.0.1" in caught.value.message
    assert "/find" not in str(caught.value)


def test_a_move_on_the_same_server_is_followed() -> None:
    def answering(heard: Heard) -> Answer:
        return found(["x"], ["S"]) if heard.path == "/new" else Answer(307, headers=MOVED)

    assert retrieved(answering).texts == ("x",)


MOVED = {"location": "/new"}


def test_halves_of_surrogate_pairs_do_not_get_in() -> None:
    body = rb'{"query_used": "\ud800", "chunk_texts": ["a\udc00b"], "chunk_sources": ["\ud83d"]}'
    assert retrieved(lambda _: Answer(body=body)) == Retrieval("?", ("a?b",), ("?",))


@pytest.mark.parametrize(
    "model", [ModelSettings(read_seconds=0.05), ModelSettings(total_seconds=0.05)]
)
def test_a_server_that_says_nothing_is_given_up(model: ModelSettings) -> None:
    with pytest.raises(Unreachable, match="did not answer in time"):
        retrieved(lambda _: Answer(body=None), replace(Settings(), model=model))


def test_nobody_there_is_told_at_once() -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 cannot be reached"):
        asyncio.run(_retrieve("http://127.0.0.1:1/x", Settings()))


def test_a_closed_retriever_says_so() -> None:
    async def work() -> None:
        retriever = open_retriever(Settings(), "http://127.0.0.1:1/x")
        assert retriever
        await retriever.close()
        await retriever.retrieve(ASK)

    with pytest.raises(Unreachable, match="was closed"):
        asyncio.run(work())


@pytest.mark.parametrize(
    "choice", ["http:", "http:///x", "https://:0", "http://[x", "http://u:p@h/"]
)
def test_a_wrong_address_is_refused(choice: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_retriever(Settings(), choice)
    assert "u:p" not in str(caught.value)


def test_our_own_retriever_is_no_link_and_a_stranger_is_unknown() -> None:
    assert open_retriever(Settings(), "sextant") is None
    with pytest.raises(UnknownScheme, match="mcp:"):
        open_retriever(Settings(), "ftp://x")
