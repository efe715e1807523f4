"""What clients send over AG-UI, well or badly formed: by path or envelope, as whom, how much."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from sextant.types import ANY_TOOL
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install, run_input
from tests.serve.raw import connected, request

pytestmark = pytest.mark.anyio
ROOT = "/copilotkit"
NO_IMAGE = {"type": "binary", "mimeType": "image/png", "data": base64.b64encode(b"text").decode()}
PIXEL = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
).decode()


async def test_only_what_is_served_is_advertised(copilot: Copiloted) -> None:
    info = (await copilot.client.get(f"{ROOT}/info")).json()
    assert info == (await copilot.post(ROOT, {"method": "info"})).json()
    assert info["agents"]["default"]["name"] == "default"
    assert info["mode"] == "sse"
    assert info["suggestions"] is True
    assert not any(info["threadEndpoints"].values())


async def test_suggestions_are_not_advertised_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    async with copiloted(tmp_path, llm="none") as silent:
        assert (await silent.client.get(f"{ROOT}/info")).json()["suggestions"] is False


async def test_a_method_can_be_named_in_the_body(copilot: Copiloted) -> None:
    envelope = {"method": "agent/run", "params": {"agentId": "default"}}
    events = await copilot.events(ROOT, envelope | {"body": run_input("CHUNKS:1")})
    assert events[-1]["type"] == "RUN_FINISHED"
    stop = {"method": "agent/stop", "params": {"agentId": "default", "threadId": "thread-1"}}
    assert (await copilot.post(ROOT, stop)).json()["stopped"] is False
    connect = envelope | {"method": "agent/connect", "body": run_input("")}
    assert (await copilot.events(ROOT, connect))[0]["type"] == "RUN_STARTED"


@pytest.mark.parametrize(
    ("path", "body", "status", "word"),
    [
        (f"{ROOT}/agent/nobody/run", run_input("Hi"), 404, "nobody"),
        (f"{ROOT}/agent/nobody/connect", run_input("Hi"), 404, "nobody"),
        (f"{ROOT}/agent/nobody/stop/t", None, 404, "nobody"),
        (f"{ROOT}/threads", None, 404, "nothing here"),
        (ROOT, {"method": "transcribe"}, 400, "transcribe"),
        (ROOT, {"method": "agent/run", "body": run_input("Hi")}, 422, "agentId"),
        (RUN, [], 422, "an object"),
        (RUN, {"threadId": "t"}, 422, "runId"),
        (RUN, run_input("Hi", threadId=""), 422, "threadId"),
        (RUN, run_input("Hi", messages=[{"id": "x", "role": "wizard"}]), 422, "messages.0"),
        (RUN, run_input("Hi", messages=[{"role": "user", "content": "x"}]), 422, "messages.0.id"),
        (
            RUN,
            run_input("Hi", messages=[{"id": "x", "role": "user", "content": 5}]),
            422,
            "content",
        ),
        (RUN, run_input("Hi", tools=[{"name": "x", "parameters": "{"}]), 422, "parameters"),
        (f"{ROOT}/agent/default/stop/t", {"runId": 5}, 422, "runId"),
    ],
)
async def test_what_is_wrong_is_said_in_words_that_clients_show(
    copilot: Copiloted, path: str, body: Any, status: int, word: str
) -> None:
    answer = await copilot.post(path, body)
    told = answer.json()
    assert answer.status_code == status, told
    assert word in told["message"]
    assert told["code"]
    assert told["requestId"] == answer.headers["x-request-id"]
    assert copilot.model.prompts == []


async def test_a_body_that_is_no_json_and_a_verb_that_is_not_served_are_refused(
    copilot: Copiloted,
) -> None:
    headers = {"content-type": "application/json"}
    broken = await copilot.client.post(RUN, content=b"{", headers=headers)
    assert (broken.status_code, broken.json()["code"]) == (400, "invalid_json")
    text = await copilot.client.post(RUN, content=b"{}", headers={"content-type": "text/plain"})
    assert text.status_code == 415
    got = await copilot.client.get(RUN)
    assert (got.status_code, got.headers["allow"]) == (405, "POST")


async def test_a_message_of_ten_megabytes_is_refused_as_clients_show_it(copilot: Copiloted) -> None:
    answer = await copilot.post(RUN, run_input("x" * 10_000_000))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_nobody_comes_in_without_a_proof(copilot: Copiloted) -> None:
    for path in (f"{ROOT}/info", RUN):
        answer = await copilot.client.post(path, headers={"authorization": ""}, json={})
        assert (answer.status_code, answer.json()["error"]) == (401, "Not authenticated")


async def test_the_properties_say_for_whom_and_a_thread_of_others_is_not_there(
    copilot: Copiloted,
) -> None:
    own = run_input("CHUNKS:1", forwardedProps={"tenantId": "one", "aadObjectId": "ann"})
    assert (await copilot.events(RUN, own))[-1]["type"] == "RUN_FINISHED"
    connect = f"{ROOT}/agent/default/connect"
    assert await copilot.events(connect, own) != []
    for others in ({"tenantId": "two", "aadObjectId": "ann"}, {"tenantId": "one"}):
        assert await copilot.events(connect, own | {"forwardedProps": others}) == []


async def test_a_second_run_in_a_thread_is_a_conflict_while_one_is_under_way(
    copilot: Copiloted,
) -> None:
    async for event in copilot.stream(RUN, run_input("HOLD:1")):
        if event.get("delta") == "tok0 ":
            answer = await copilot.post(RUN, run_input("CHUNKS:1", runId="run-2"))
            assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
            copilot.model.go_on.set()


async def test_wishes_for_the_model_are_heard(copilot: Copiloted) -> None:
    wishes = {
        "temperature": 0.25,
        "maxOutputTokens": 90,
        "stopSequences": ["END"],
        "toolChoice": "required",
    }
    tool = {"name": "paint", "description": "Paints.", "parameters": {"type": "object"}}
    await copilot.events(RUN, run_input("CHUNKS:1", forwardedProps=wishes, tools=[tool]))
    prompt = copilot.model.prompts[-1]
    assert (prompt.temperature, prompt.max_tokens, prompt.stop) == (0.25, 90, ("END",))
    assert prompt.tool_choice == ANY_TOOL


async def test_what_the_page_knows_reaches_the_model(copilot: Copiloted) -> None:
    context = [{"description": "The colour", "value": "blue"}]
    await copilot.events(RUN, run_input("CHUNKS:1", context=context))
    assert "blue" in copilot.model.prompts[-1].messages[0].text


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "source": {"type": "data", "value": PIXEL, "mimeType": "image/png"}},
        {"type": "binary", "mimeType": "image/png", "data": PIXEL},
        {"type": "image", "source": {"type": "url", "value": f"data:image/png;base64,{PIXEL}"}},
    ],
)
async def test_an_image_reaches_the_model(copilot: Copiloted, part: dict[str, Any]) -> None:
    content = [{"type": "text", "text": "CHUNKS:1 What is this?"}, part]
    message = {"id": "u-1", "role": "user", "content": content}
    answer = await copilot.post(RUN, run_input("", messages=[message]))
    assert "RUN_FINISHED" in answer.text
    images = [one for message in copilot.model.prompts[-1].messages for one in message.images]
    assert images[0].media_type == "image/png"
    assert images[0].data.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("part", "word"),
    [
        (
            {"type": "image", "source": {"type": "data", "value": "%", "mimeType": "image/png"}},
            "Base64",
        ),
        ({"type": "binary", "mimeType": "text/plain", "data": "eA=="}, "neither"),
        ({"type": "audio", "source": {"type": "url", "value": "https://a.example/b"}}, "neither"),
        ({"type": "hologram"}, "content"),
    ],
)
async def test_a_part_that_is_neither_text_nor_an_image_is_refused(
    copilot: Copiloted, part: dict[str, Any], word: str
) -> None:
    message = {"id": "u-1", "role": "user", "content": [part]}
    answer = await copilot.post(RUN, run_input("", messages=[message]))
    assert answer.status_code == 422
    assert word in answer.json()["message"]


@pytest.mark.parametrize(
    "messages",
    [
        [{"id": "t-1", "role": "tool", "toolCallId": "nobody-called", "content": "x"}],
        [{"id": "u-1", "role": "user", "content": one} for one in ("a", "b")],
        [{"id": "u-1", "role": "user", "content": [NO_IMAGE]}],
    ],
    ids=["orphan result", "same id twice", "image that is none"],
)
async def test_messages_that_cannot_be_are_refused_before_a_run_begins(
    copilot: Copiloted, messages: list[dict[str, Any]]
) -> None:
    answer = await copilot.post(RUN, run_input("", messages=messages))
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert copilot.model.prompts == []


async def test_a_client_that_leaves_while_it_sends_is_let_go(copilot: Copiloted) -> None:
    head = [f"Authorization: Bearer {copilot.server.token}", "Content-Type: application/json"]
    async with connected(copilot.server.port) as client:
        asked = request(f"POST {RUN} HTTP/1.1", [*head, "Content-Length: 500"], b'{"threadId"')
        await client.say(asked)
    assert (await copilot.events(RUN, run_input("CHUNKS:1")))[-1]["type"] == "RUN_FINISHED"
