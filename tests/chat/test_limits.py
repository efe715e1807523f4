"""What a copilot may send: what is too much or cannot be is refused, and says what to do."""

from __future__ import annotations

from datetime import datetime

import pytest

from sextant.errors import InvalidInput, TooLarge
from sextant.limits import Limits, check_run_request
from sextant.types import (
    ActionMessage,
    AgentState,
    ChatMessage,
    ClientAction,
    Image,
    ImageMessage,
    InterruptAnswer,
    ModelWishes,
    ResultMessage,
    RunRequest,
    Speaker,
    StateMessage,
    TextMessage,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
WEBP = b"RIFF\0\0\0\0WEBPVP8 "
SMALL = Limits(messages=3, thread=50, actions=2, schema=100, text=30)


def said(text: str, own: str = "u1") -> TextMessage:
    return TextMessage(own, Speaker.USER, text)


def shown(kind: str, data: bytes = b"", url: str = "") -> RunRequest:
    return RunRequest((ImageMessage("i1", Speaker.USER, Image(kind, data, url)),))


def acting(**schema: object) -> RunRequest:
    return RunRequest(actions=(ClientAction("paint", "", schema),))  # type: ignore[arg-type]


GOOD: list[RunRequest] = [
    RunRequest(),
    RunRequest((said("Hello"),)),
    RunRequest((ActionMessage("c", "paint", "{}"), ResultMessage("r", "c", "paint", "done"))),
    RunRequest((StateMessage("s", "default", "{}"), StateMessage("s", "default", "{}"))),
    shown("image/png", PNG),
    shown("IMAGE/WEBP", WEBP),
    shown("", url="https://a.example/b.png"),
    acting(type="object", properties={"colour": {"type": "string"}}),
    acting(),
]


@pytest.mark.parametrize("request_", GOOD)
def test_what_clients_send_is_taken(request_: RunRequest) -> None:
    check_run_request(request_)


WRONG: list[tuple[RunRequest, str]] = [
    (RunRequest((said("a"), said("b"))), "comes twice"),
    (RunRequest((said("a", ""),)), "message id is empty"),
    (RunRequest((said("\ud800"),)), "surrogate"),
    (RunRequest((TextMessage("u", Speaker.USER, "a", at=datetime(2026, 1, 1)),)), "time zone"),
    (RunRequest((ResultMessage("r", "c9", "paint", "done"),)), "answers no call"),
    (shown("image/png", b"<svg>"), "no image"),
    (shown("image/svg+xml", b"<svg>"), "no image"),
    (shown("image/webp", b"RIFF\0\0\0\0WAVE"), "no image"),
    (shown("", url="http://a.example/b.png"), "not https"),
    (acting(type="string"), "broken"),
    (acting(type="object", properties={"a": {"type": "colour"}}), "broken"),
    (acting(type="object", properties=3), "broken"),
    (acting(type="object", maximum=float("nan")), "not JSON"),
    (RunRequest(actions=(ClientAction("a"), ClientAction("a"))), "comes twice"),
    (RunRequest(actions=(ClientAction(""),)), "empty"),
    (RunRequest(states=(AgentState("a", {"x": float("inf")}),)), "not JSON"),
    (RunRequest(wishes=ModelWishes(temperature=9.0)), "temperature"),
    (RunRequest(wishes=ModelWishes(max_tokens=-1)), "maxTokens"),
    (RunRequest(wishes=ModelWishes(stop=("",))), "stop word"),
]


@pytest.mark.parametrize(("request_", "why"), WRONG)
def test_what_cannot_be_is_refused(request_: RunRequest, why: str) -> None:
    with pytest.raises(InvalidInput, match=why) as caught:
        check_run_request(request_)
    assert caught.value.hint


def texts(*lengths: int) -> tuple[ChatMessage, ...]:
    return tuple(said("x" * length, f"u{place}") for place, length in enumerate(lengths))


@pytest.mark.parametrize(
    "request_",
    [
        RunRequest(texts(1, 1, 1, 1)),
        RunRequest(texts(31)),
        RunRequest(texts(20, 20, 20)),
        RunRequest(actions=tuple(ClientAction(name) for name in "abc")),
        acting(description="x" * 200),
        RunRequest(properties={"a": "x" * 100}),
        RunRequest(answers=(InterruptAnswer("x" * 100),)),
    ],
)
def test_what_is_too_much_is_refused(request_: RunRequest) -> None:
    check_run_request(request_)
    with pytest.raises(TooLarge):
        check_run_request(request_, SMALL)
