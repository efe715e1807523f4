"""What is done is told as a tree of spans: verbs, steps, models and whoever else is asked."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant.build import open_sextant, open_tracer
from sextant.core import Sextant
from sextant.errors import ConfigError, InvalidInput, MissingExtra
from sextant.spans import begun, is_traced, outward, span, traced
from sextant.types import Chunk, Document, Put, RunRequest, Scope, Speaker, TextMessage
from tests.telemetry.collector import FAILED, Collector, collecting
from tests.telemetry.tracing import settings_for, tracing

SCOPE = Scope("default")
QUESTION = "Who owns the zebrafish ledger?"
SECRET = "The zebrafish ledger is owned by the team Quagga."


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as one:
        yield one


async def with_a_note(sextant: Sextant) -> None:
    chunk = Chunk("note#1", SECRET, 0, len(SECRET))
    await sextant.write(SCOPE, [Put(Document("note", "A note"), (chunk,))])


def test_a_question_is_a_tree_of_its_verb_and_its_steps(
    tmp_path: Path, collector: Collector
) -> None:
    async def ask() -> list[str]:
        async with await open_sextant(settings_for(tmp_path, collector.url, "helm")) as sextant:
            await with_a_note(sextant)
            answer = await sextant.ask(SCOPE, QUESTION)
            return [step.name for step in answer.trace.steps]

    steps = asyncio.run(ask())
    verb = collector.one("sextant.ask")
    assert verb.parent == ""
    assert verb.facts["sextant.question.characters"] == len(QUESTION)
    assert collector.under(verb) == [f"sextant.{step}" for step in steps]
    assert {one.trace for one in collector.spans if one.parent} == {verb.trace}
    assert collector.one("sextant.write").trace != verb.trace
    assert collector.one("sextant.retrieve").facts["sextant.candidates"] == 1
    assert collector.about["service.name"] == "helm"
    assert set(collector.paths) == {"/v1/traces"}


def test_no_text_of_a_question_or_a_document_is_told(tmp_path: Path, collector: Collector) -> None:
    async def ask() -> None:
        async with await open_sextant(settings_for(tmp_path, collector.url)) as sextant:
            await with_a_note(sextant)
            assert "Quagga" in (await sextant.ask(SCOPE, QUESTION)).text
            await sextant.lookup(SCOPE, ["Quagga"])

    asyncio.run(ask())
    told = b"".join(collector.bodies).lower()
    assert b"sextant.lookup" in told
    assert not [word for word in (b"zebrafish", b"quagga", b"ledger") if word in told]


def test_what_goes_wrong_is_told_by_its_code_and_not_by_its_sentence(
    tmp_path: Path, collector: Collector
) -> None:
    async def fail() -> None:
        async with await open_sextant(settings_for(tmp_path, collector.url)) as sextant:
            with pytest.raises(InvalidInput):
                await sextant.ask(SCOPE, "   ")

    asyncio.run(fail())
    verb = collector.one("sextant.ask")
    assert (verb.status, verb.said, verb.facts["error.type"]) == (
        FAILED,
        "invalid_input",
        "invalid_input",
    )


def test_cancelling_is_told_and_is_no_failure() -> None:
    async def leave() -> Collector:
        async with tracing() as (tracer, collector):

            async def wait() -> None:
                with traced(tracer), span("waiting"):
                    await asyncio.Event().wait()

            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return collector

    waiting = asyncio.run(leave()).one("waiting")
    assert (waiting.status, waiting.facts["error.type"]) == (0, "CancelledError")


def test_keys_are_hidden_and_long_values_cut() -> None:
    key = "sk-abcdefghijklmnop1234567890"

    async def tell() -> Collector:
        async with tracing() as (tracer, collector):
            with traced(tracer), span("one", {"key": key, "keys": [key], "long": "x" * 10_000}):
                pass
        return collector

    collector = asyncio.run(tell())
    facts = collector.one("one").facts
    assert key.encode() not in b"".join(collector.bodies)
    assert (facts["key"], facts["keys"], len(facts["long"])) == ("[hidden]", ["[hidden]"], 200)


def test_headers_outward_name_the_span_that_is_under_way() -> None:
    async def tell() -> tuple[Collector, dict[str, str]]:
        async with tracing() as (tracer, collector):
            with traced(tracer), span("calling"):
                told = outward()
        return collector, told

    collector, told = asyncio.run(tell())
    calling = collector.one("calling")
    assert set(told) == {"traceparent"}
    assert told["traceparent"].startswith(f"00-{calling.trace}-{calling.id}-")


def test_what_is_carried_is_on_every_span_inside() -> None:
    async def tell() -> Collector:
        async with tracing() as (tracer, collector):
            with traced(tracer, {"run": "7"}), span("outer"), traced(None, {"thread": "t"}):
                begun("inner").end()
        return collector

    collector = asyncio.run(tell())
    outer, inner = collector.one("outer"), collector.one("inner")
    assert (outer.facts, inner.facts) == ({"run": "7"}, {"run": "7", "thread": "t"})
    assert inner.parent == outer.id


def test_only_the_first_end_and_the_first_failure_count() -> None:
    async def tell() -> Collector:
        async with tracing() as (tracer, collector):
            with traced(tracer), span("one") as told:
                told.fail("503")
                told.fail("later")
                told.end()
                told.end(ValueError("later"))
        return collector

    assert asyncio.run(tell()).one("one").said == "503"


def test_a_parent_that_cannot_be_read_is_as_none() -> None:
    zero = "00-" + "0" * 32 + "-" + "0" * 16 + "-01"

    async def tell() -> Collector:
        async with tracing() as (tracer, collector):
            for parent in ("nonsense", zero, "00-1-2-3", "x" * 100_000):
                with traced(tracer), span("one", parent={"traceparent": parent}):
                    pass
        return collector

    assert [one.parent for one in asyncio.run(tell()).named("one")] == [""] * 4


def test_without_a_tracer_nothing_is_told_and_nothing_is_sent() -> None:
    with span("one") as told:
        told.note({"a": 1})
        told.fail("oh")
        told.rename("two")
        told.end()
        assert not told.is_heard
    assert not is_traced()
    assert outward() == {}
    assert begun("two") is told


def test_the_environment_of_opentelemetry_is_honoured(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=quagga")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "from-outside")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")

    async def ask() -> None:
        async with await open_sextant(settings_for(tmp_path, "env")) as sextant:
            await sextant.profiles(SCOPE)

    asyncio.run(ask())
    assert [one.name for one in collector.spans] == ["sextant.profiles"]
    assert collector.about["service.name"] == "from-outside"
    assert collector.about["deployment.environment.name"] == "test"
    assert collector.headers["x-team"] == "quagga"


def test_a_service_is_named_by_the_settings_where_the_environment_is_silent(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)

    async def ask() -> None:
        async with await open_sextant(settings_for(tmp_path, "env", "helm")) as sextant:
            await sextant.profiles(SCOPE)

    asyncio.run(ask())
    assert collector.about["service.name"] == "helm"


@pytest.mark.parametrize("endpoint", ["collector:4318", "ftp://host", "http://", "http://h:0"])
def test_an_endpoint_that_is_no_address_is_refused(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(ConfigError, match=r"telemetry\.endpoint"):
        open_tracer(settings_for(tmp_path, endpoint))


def test_a_key_in_an_endpoint_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        open_tracer(settings_for(tmp_path, "http://me:hunter22@collector:4318"))
    assert "hunter22" not in json.dumps([str(refused.value), refused.value.hint])


def test_a_missing_package_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sextant.links.otlp", raising=False)
    monkeypatch.delattr("sextant.links.otlp", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(MissingExtra, match=r"sextant\[otel\]"):
        open_tracer(settings_for(tmp_path, "http://collector:4318"))


def test_a_run_of_a_copilot_is_a_tree_without_its_text(
    tmp_path: Path, collector: Collector
) -> None:
    asked = RunRequest((TextMessage("u1", Speaker.USER, QUESTION),), thread_id="t", run_id="r")

    async def run() -> None:
        async with await open_sextant(settings_for(tmp_path, collector.url)) as sextant:
            await with_a_note(sextant)
            own = await sextant.copilot.start(SCOPE, asked)
            assert [batch async for batch in own.events()]

    asyncio.run(run())
    told = collector.one("sextant.run")
    assert told.facts["gen_ai.agent.name"] == "default"
    assert told.facts["gen_ai.conversation.id"] == "t"
    assert told.facts["sextant.chat.outcome"] == "finished"
    assert "sextant.ask" in collector.under(told)
    assert b"zebrafish" not in b"".join(collector.bodies).lower()
