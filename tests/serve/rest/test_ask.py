"""POST /api/ask: what the seed sends comes back with all that it names, and can be steered."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from sextant.serve.wire.answer import AskReply
from sextant.types import Chunk, Document, Put
from tests.serve.rest.knowing import (
    DAY,
    EVERYONE,
    SEED_QUESTION,
    SERVICE_A,
    Door,
    door,
    page,
    told,
    untimed,
)


def test_the_seeds_question_gets_a_cited_answer_with_its_trace(
    sample: Path, tmp_path: Path
) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            return await one.ask(
                SEED_QUESTION,
                user={"aadObjectId": "6f0c7a52"},
                conversationId="c-1",
                context={"tenantId": "default", "locale": "en-US"},
            )

    reply = asyncio.run(task())
    AskReply.model_validate(reply)
    assert "Process X" in reply["answer"]
    assert "Service A escalates to Team Y." in reply["answer"]
    assert {"title", "url", "chunkId"} <= set(reply["citations"][0])
    assert all(f"[{one['label']}]" in reply["answer"] for one in reply["citations"])
    trace = reply["trace"]
    assert trace["linkedEntities"] == [SERVICE_A]
    assert {"component:default/process-x", "group:default/team-y"} <= set(
        trace["expandedEntityIds"]
    )
    assert SERVICE_A not in trace["expandedEntityIds"]
    ids = [SERVICE_A, *trace["expandedEntityIds"]]
    filtered = " or ".join(f"e eq '{name}'" for name in ids)
    assert trace["searchFilter"] == f"entityIds/any(e: {filtered})"
    assert (trace["now"], reply["conversationId"]) == ("2026-10-31T00:00:00+00:00", "c-1")
    assert reply["sufficient"]
    assert reply["confidence"] > 0.5


def test_only_the_query_is_needed_and_null_is_as_missing(sample: Path, tmp_path: Path) -> None:
    fields = ("user", "conversationId", "context", "filter", "personaId", "rankingPrefs")

    async def task() -> tuple[Any, Any]:
        async with door(tmp_path, sample) as one:
            bare = await one.ask("Who owns Process X?")
            return bare, await one.ask("Who owns Process X?", **dict.fromkeys(fields))

    bare, nulls = asyncio.run(task())
    assert "Team Y" in bare["answer"]
    assert untimed(bare) == untimed(nulls)


def test_a_conversation_is_remembered_for_its_user_alone(sample: Path, tmp_path: Path) -> None:
    async def resolved(one: Door, user: str, conversation: str) -> str:
        who = {"aadObjectId": user}
        reply = await one.ask("and who owns it?", user=who, conversationId=conversation)
        return str(reply["trace"]["steps"][0]["facts"]["question"])

    async def task() -> list[str]:
        async with door(tmp_path, sample) as one:
            await one.ask("What is Process X?", user={"aadObjectId": "ann"}, conversationId="c")
            return [
                await resolved(one, *whose) for whose in (("ann", "c"), ("bob", "c"), ("ann", "d"))
            ]

    same, another_user, another_conversation = asyncio.run(task())
    assert "Process X" in same
    assert "Process X" not in another_user
    assert "Process X" not in another_conversation


def test_the_locale_sets_the_language_of_fixed_sentences(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[str]:
        async with door(tmp_path, sample) as one:
            return [
                (await one.ask("What is the salary of Ann Zebra?", context={"locale": own}))[
                    "answer"
                ]
                for own in ("en-US", "de-DE", "fr")
            ]

    assert len(set(asyncio.run(task()))) == 3


def test_a_filter_bounds_what_counts(sample: Path, tmp_path: Path) -> None:
    async def task() -> tuple[Any, Any]:
        async with door(tmp_path, sample) as one:
            wiki = await one.ask(
                "Who owns escalation for Service A?",
                filter="documentId eq 'sample/policies/escalation-policy.md'",
            )
            wrong = {"query": "Who?", "filter": "salary gt 5"}
            return wiki, told(await one.client.post("/api/ask", json=wrong), 422)

    narrow, problem = asyncio.run(task())
    cited = {one["documentId"] for one in narrow["citations"]}
    assert cited == {"sample/policies/escalation-policy.md"}
    assert problem["code"] == "invalid_filter"
    assert "salary" in problem["detail"]
    assert problem["hint"]


def test_a_filter_that_lets_nothing_through_is_told_by_the_trace(
    sample: Path, tmp_path: Path
) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path, sample) as one:
            question = "Who owns escalation for Service A?"
            filters = ("tags/any(t: t eq 'no-such')", "tags/any(t: t eq 'on-call')")
            return [await one.ask(question, filter=text) for text in filters]

    def told_of(reply: Any) -> set[str]:
        return {step["fallback"] for step in reply["trace"]["steps"] if step["name"] == "retrieve"}

    nothing, something = asyncio.run(task())
    assert not nothing["sufficient"]
    assert told_of(nothing) == {"The filter lets nothing through."}
    assert something["citations"]
    assert "The filter lets nothing through." not in told_of(something)


def test_ranking_follows_weights_or_a_profile(sample: Path, tmp_path: Path) -> None:
    def weights(reply: Any) -> Any:
        steps = reply["trace"]["steps"]
        return next(one["facts"]["weights"] for one in steps if one["name"] == "rank")

    async def task() -> tuple[Any, Any, Any]:
        async with door(tmp_path, sample) as one:
            profile = {"weights": {"relevancy": 0.5, "recency": 0.5}}
            told(await one.client.put("/api/profiles/fresh", json=profile))
            own = {"relevancy": 1, "recency": 0, "richness": 0, "reputation": 0}
            body = {"query": "Who owns Process X?", "rankingPrefs": "stale"}
            return (
                weights(await one.ask("Who owns Process X?", rankingPrefs=own)),
                weights(await one.ask("Who owns Process X?", rankingPrefs="fresh")),
                told(await one.client.post("/api/ask", json=body), 404)["code"],
            )

    by_weights, by_profile, unknown = asyncio.run(task())
    assert by_weights == [1.0, 0.0, 0.0, 0.0]
    assert by_profile == [0.5, 0.5, 0.02, 0.2]
    assert unknown == "not_found"


def test_a_budget_and_other_words_reach_the_line(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[str]:
        async with door(tmp_path, sample) as one:
            hurried = await one.ask(SEED_QUESTION, budget={"milliseconds": 1})
            other = await one.ask("Who owns Process X?", rephrase=True, topK=3.0, trace="full")
            return [step["name"] for reply in (hurried, other) for step in reply["trace"]["steps"]]

    names = asyncio.run(task())
    assert "budget" in names
    assert "rephrase" in names


def test_a_trace_is_compact_unless_the_whole_is_asked_for(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path, sample) as one:
            forms = (None, "compact", "full")
            return [untimed(await one.ask(SEED_QUESTION, trace=form)) for form in forms]

    usual, compact, full = asyncio.run(task())
    assert usual == compact
    assert len(json.dumps(full["trace"])) > 2 * len(json.dumps(compact["trace"]))
    assert compact["answerId"] == full["answerId"]
    steps = {one["name"]: one["facts"] for one in compact["trace"]["steps"]}
    assert steps["resolve"] == {"question": SEED_QUESTION}
    assert {"document", "total", "found_by"} <= steps["rank"]["hits"][0].keys()
    own = ("form", "digest", "steps")
    for reply in (compact, full):
        reply["trace"] = {name: one for name, one in reply["trace"].items() if name not in own}
    assert compact == full


def test_a_reply_tells_a_known_answer_from_the_nearest_and_from_nothing(tmp_path: Path) -> None:
    restart = "To restart the relay, drain it first:\n\n```sh\nrelayctl drain --all\n```"
    questions = (
        "How do I restart the relay?",
        "When is the backup of the relay?",
        "Who won at chess?",
    )

    async def task() -> list[Any]:
        async with door(tmp_path) as one:
            await one.server.house.sextant.write(EVERYONE, [handbook(restart)])
            return [await one.ask(question) for question in questions]

    known, nearest, nothing = asyncio.run(task())
    assert [one["state"] for one in (known, nearest, nothing)] == ["known", "nearest", "nothing"]
    assert [one["sufficient"] for one in (known, nearest, nothing)] == [True, False, False]
    (block,) = known["statements"]
    assert (block["block"], block["headings"]) == (True, ["Operations", "Restarting"])
    assert block["text"] == restart
    assert block["text"][slice(*block["marked"])] == "To restart the relay, drain it first:"
    assert known["citations"][0]["quote"] == restart
    assert nearest["answer"].startswith("This comes closest; it may not be what you asked.")
    assert nearest["citations"]
    assert nearest["missing"]
    assert (nothing["statements"], nothing["citations"]) == ([], [])
    assert nothing["missing"]


def handbook(text: str) -> Put:
    """Return a page of one passage, which stands under two headings."""
    chunk = Chunk("relay.md#c0", text, 0, len(text), headings=("Operations", "Restarting"))
    return Put(Document("relay.md", "Relay handbook"), (chunk,))


def test_a_tenant_that_holds_nothing_says_so(tmp_path: Path) -> None:
    async def task() -> list[Any]:
        async with door(tmp_path) as one:
            nothing = await one.ask("Who owns Process X?", conversationId="c")
            german = await one.ask("Who owns Process X?", context={"locale": "de-DE"})
            found = told(await one.client.post("/api/search", json={"query": "Process X"}))
            hidden = page("secret.md", "Process X is owned by Team Y.", personas=("sre",))
            await one.server.house.sextant.write(EVERYONE, [hidden])
            unseen = await one.ask("Who owns Process X?")
            seen = await one.ask("Who owns Process X?", personaId="sre")
            told(
                await one.client.post(
                    "/api/feedback", json={"answer": nothing, "verdict": "helpful"}
                )
            )
            return [nothing, german, found, unseen, seen]

    nothing, german, found, unseen, seen = asyncio.run(task())
    assert nothing["answer"].startswith("This tenant holds nothing yet")
    assert "sextant ingest DOCS --tenant NAME" in nothing["answer"]
    assert (nothing["state"], nothing["sufficient"], nothing["confidence"]) == ("empty", False, 0)
    assert german["answer"].startswith("Dieser Mandant enthält noch nichts")
    assert (found["results"], found["state"]) == ([], "empty")
    assert (unseen["answer"], unseen["state"]) == (nothing["answer"], "empty")
    assert seen["state"] != "empty"


def test_the_day_is_the_one_that_is_sent(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[str]:
        async with door(tmp_path, sample) as one:
            days = (DAY, "2026-10-31", "2026-10-31T02:00:00+02:00")
            return [(await one.ask("Who owns Process X?", now=day))["trace"]["now"] for day in days]

    assert {one[:10] for one in asyncio.run(task())} == {"2026-10-31"}
