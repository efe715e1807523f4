"""Feedback is taken on what was answered, through any client, and on nothing else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sextant.ask.evaluate.cases import read_cases
from tests.serve.rest.conftest import SAMPLE
from tests.serve.rest.knowing import EVERYONE, SEED_QUESTION, Door, door, page, told


async def _say(one: Door, status: int = 200, **body: Any) -> Any:
    return told(await one.client.post("/api/feedback", json=body), status)


def _as_javascript(value: Any) -> Any:
    """Return a value as JSON.parse and JSON.stringify leave it: there 1.0 is 1."""
    if isinstance(value, dict):
        return {name: _as_javascript(own) for name, own in reversed(value.items())}
    if isinstance(value, list):
        return [_as_javascript(own) for own in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_an_answer_can_be_judged_taken_back_and_judged_by_its_source(
    sample: Path, tmp_path: Path
) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path, sample) as one:
            reply = await one.ask(SEED_QUESTION, context={"locale": "de-DE"})
            whole = await one.ask(SEED_QUESTION, context={"locale": "de-DE"}, trace="full")
            same = await _say(one, answer=whole, verdict="helpful")
            assert same["subject"] == f"answer:{reply['answerId']}"
            label = reply["citations"][0]["label"]
            return [
                await _say(one, answer=reply, verdict="helpful"),
                await _say(one, answer=reply, verdict="withdrawn"),
                await _say(one, answer=reply, verdict="unhelpful", source=label, comment="old"),
                await _say(one, 404, answer=reply, verdict="helpful", source="no such label"),
            ]

    helpful, withdrawn, source, unknown = asyncio.run(task())
    assert helpful["subject"] == withdrawn["subject"]
    assert helpful["subject"].startswith("answer:")
    assert helpful["number"] < withdrawn["number"] < source["number"]
    assert source["subject"].startswith("document:sample/")
    assert unknown["code"] == "not_found"


def test_what_a_client_in_javascript_sends_back_is_still_the_answer(
    sample: Path, tmp_path: Path
) -> None:
    cases = read_cases((SAMPLE.parent / "questions.jsonl").read_text(encoding="utf-8"))

    async def task() -> None:
        async with door(tmp_path, sample) as one:
            for case in cases[:40:2]:
                reply = await one.ask(case.question)
                own = {name: _as_javascript(value) for name, value in reply.items()}
                await _say(one, answer=json.loads(json.dumps(own)), verdict="withdrawn")

    asyncio.run(task())


def _other_text(reply: Any) -> None:
    reply["answer"] += " Trust me."


def _other_source(reply: Any) -> None:
    reply["citations"][0]["documentId"] = "sample/wiki/old.md"


def _other_scores(reply: Any) -> None:
    rank = next(step for step in reply["trace"]["steps"] if step["name"] == "rank")
    rank["facts"]["hits"][0]["total"] = 0.123


def _no_name(reply: Any) -> None:
    reply["answerId"] = ""


def _other_name(reply: Any) -> None:
    reply["answerId"] = "0" * 32


@pytest.mark.parametrize("form", ["compact", "full"])
@pytest.mark.parametrize("edit", [_other_text, _other_source, _other_scores, _no_name, _other_name])
def test_an_answer_that_was_changed_is_refused(
    sample: Path, tmp_path: Path, edit: Any, form: str
) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            reply = await one.ask("Who owns Process X?", trace=form)
            edit(reply)
            return await _say(one, 409, answer=reply, verdict="helpful")

    assert "not as it was" in asyncio.run(task())["detail"]


def test_a_document_can_be_judged_if_it_is_seen(tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path) as one:
            hidden = page("secret.md", "Text.", personas=("sre",))
            await one.server.house.sextant.write(EVERYONE, [page("a.md", "Text."), hidden])
            return [
                await _say(one, documentId="a.md", verdict="helpful"),
                await _say(one, 404, documentId="secret.md", verdict="helpful"),
                await _say(one, documentId="secret.md", verdict="helpful", personaId="sre"),
                await _say(one, 404, documentId="b.md", verdict="helpful"),
            ]

    seen, hidden, by_persona, missing = asyncio.run(task())
    assert seen["subject"] == "document:a.md"
    assert by_persona["number"] > seen["number"]
    assert hidden["detail"] == missing["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"verdict": "helpful"},
        {"verdict": "great", "documentId": "a.md"},
        {"documentId": "a.md"},
        {"verdict": "helpful", "documentId": "a.md", "source": "A"},
        {"verdict": "helpful", "answer": {"answer": "x"}},
        {"verdict": "helpful", "documentId": ""},
    ],
)
def test_what_is_not_clear_is_refused(tmp_path: Path, body: Any) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            return await _say(one, 422, **body)

    assert asyncio.run(task())["errors"]
