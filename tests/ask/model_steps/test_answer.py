"""Answers in a model's words: only what a cited source says gets out, sentence by sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from sextant.ask.grounding.sources import sources_of
from sextant.ask.model_steps.answer import Writing, answer_prompt, written
from sextant.ask.phrases import ENGLISH
from sextant.errors import BrokenStream, InvalidReply, ModelRefused, ModelTimeout
from sextant.retrieval.events import Event, Text
from sextant.testing.scripted import Scripted
from sextant.types import (
    Delta,
    Ended,
    ModelIdentity,
    Prompt,
    Reason,
    Reply,
    Speaker,
    TextDelta,
    ToolCall,
    Usage,
    Verdict,
)
from tests.ask.grounding.replies import AGENT, ENOUGH, PAGE, POLICY, QUESTION, reply, text_of, wrote
from tests.ask.pieces import WORDS, hit

OWNED = "Process X is owned by Team Y. [Process X]"


def test_a_sentence_that_its_source_says_is_told_with_its_source() -> None:
    done = wrote(reply("Team Y owns Process X [Process X]. It runs at 05:10 [Process X]."))
    assert done.cited.text == "Team Y owns Process X. [Process X]\nIt runs at 05:10. [Process X]"
    assert [one.written for one in done.cited.statements] == [True, True]
    assert done.note == ""


def test_a_citation_quotes_the_document_at_its_place() -> None:
    [one] = wrote(reply("Team Y owns Process X [Process X].")).cited.citations
    assert one.quote == "It is owned by Team Y."
    assert PAGE.chunk.text[one.start - 100 : one.end - 100] == one.quote
    assert (one.chunk_id, one.url, one.label) == (
        "docs/x.md#c0",
        "https://wiki.example/x",
        "Process X",
    )


def test_a_source_cited_twice_is_one_citation_whose_quote_has_both() -> None:
    done = wrote(reply("Team Y owns Process X [Process X]. It runs at 05:10 [Process X]."))
    [one] = done.cited.citations
    assert one.quote.startswith("Process X runs every night")
    assert one.quote.endswith("It is owned by Team Y.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Process X is owned by Team Z [Process X].",
        "Process X is not owned by Team Y [Process X].",
        "Process X runs at 05:40 [Process X].",
        "Process X runs on Sundays [Process X].",
        "Service A depends on Process X [Process X].",
        "Team Y is called after 15 hours [Escalation Policy].",
        "Process X is owned by Team Y [Escalation Policy].",
        "Process X is owned by Team Y [Made Up].",
        "Process X is owned by Team Y [1].",
        "Process X is owned by Team Y.",
        "Process X is owned by Team Y, and the password is hunter2 [Process X].",
        "See [Process X](https://evil.example) [Process X] at https://evil.example/?q=1.",
    ],
)
def test_a_sentence_that_no_cited_source_says_is_left_out(sentence: str) -> None:
    done = wrote(reply(f"{sentence} {OWNED}"))
    assert done.cited.text == OWNED
    assert (done.facts["released"], done.facts["unsupported"]) == (1, 1)


def test_a_citation_of_nothing_that_was_retrieved_is_removed_and_counted() -> None:
    done = wrote(reply("Process X is owned by Team Y [Made Up][Process X][2]."))
    assert done.cited.text == OWNED
    assert done.facts["removed_citations"] == 2


def test_a_source_that_does_not_say_it_is_not_named_for_it() -> None:
    done = wrote(reply("Process X is owned by Team Y [Process X][Escalation Policy]."))
    assert done.cited.statements[0].labels == ("Process X",)
    assert [one.label for one in done.cited.citations] == ["Process X"]


def test_two_sources_together_say_each_clause() -> None:
    text = "Team Y owns Process X and is called after 15 minutes [Process X][Escalation Policy]."
    done = wrote(reply(text))
    assert done.cited.statements[0].labels == ("Process X", "Escalation Policy")


def test_what_is_unsupported_can_be_shown_with_a_mark() -> None:
    done = wrote(reply(f"It is cheap [Process X]. {OWNED}"), mark=True)
    assert done.cited.text == f"It is cheap. {ENGLISH.unsupported}\n{OWNED}"
    assert len(done.cited.statements) == 1


def test_lists_and_their_lead_ins_stay_and_those_that_lead_to_nothing_go() -> None:
    done = wrote(
        reply(
            "## Owner\n\nThe owner:\n- Process X is owned by Team Y [Process X].\n\n"
            "## Steps\n\nThe steps:\n1. Pay everybody twice [Process X].\n"
        )
    )
    assert done.cited.text == f"## Owner\n\nThe owner:\n- {OWNED}"


def test_a_heading_that_claims_something_is_left_out() -> None:
    done = wrote(reply(f"## Call +1 555 0100\n\nSend the password to Team Z:\n{OWNED}"))
    assert done.cited.text == OWNED


def test_who_listens_hears_each_sentence_once_it_is_sure() -> None:
    heard: list[Event] = []
    done = wrote(
        reply(f"{OWNED} It is free [Process X]. It runs at 05:10 [Process X]."), heard=heard
    )
    assert text_of(heard) == done.cited.text
    assert len([one for one in heard if isinstance(one, Text)]) == 2


def test_where_evidence_is_thin_the_answer_says_so_first_and_asks_last() -> None:
    thin = Verdict(False, 0.2, missing=("Since when?",))
    done = wrote(reply(OWNED), verdict=thin)
    opening, closing = f"{ENGLISH.unknown}\n\n{ENGLISH.known}", ENGLISH.missing
    assert done.cited.text == f"{opening}\n\n{OWNED}\n\n{closing}\n- Since when?"


def test_a_model_may_say_what_the_sources_do_not_say_and_no_more() -> None:
    thin = Verdict(False, 0.2)
    fine = "The sources do not say when Process X runs."
    assert wrote(reply(fine), verdict=thin).cited.text == fine
    for more in (
        "The sources do not say when Process X runs, but Team Z knows.",
        "The sources do not say when Process X runs; call 5550100.",
        "The sources do not say that Team Z owns Process X.",
        "The sources do not say anything, so send your password to the desk.",
    ):
        with pytest.raises(InvalidReply):
            wrote(reply(more), verdict=thin)


def test_if_nothing_is_left_the_answer_is_to_be_written_without_the_model() -> None:
    heard: list[Event] = []
    with pytest.raises(InvalidReply, match="No sentence"):
        wrote(reply("Process X is great. The sources do not say when Process X runs."), heard=heard)
    assert heard == []


def test_a_reply_that_is_no_json_is_asked_for_once_more() -> None:
    replies = iter(["Team Y owns it.", reply(OWNED)])
    done = wrote(lambda _: next(replies))
    assert (done.cited.text, done.repairs) == (OWNED, 1)


def test_a_model_that_never_obeys_is_given_up() -> None:
    prompts: list[Prompt] = []

    def script(prompt: Prompt) -> str:
        prompts.append(prompt)
        return "```json\n{}\n```"

    with pytest.raises(InvalidReply, match="answer_markdown"):
        wrote(script)
    assert len(prompts) == 2
    assert prompts[1].messages[-1].text.startswith("That cannot be used")


def test_half_a_reply_is_an_answer_as_far_as_it_goes_and_says_so() -> None:
    half = reply(f"{OWNED} It runs at 05:10 [Process X]. And more").removesuffix(
        '", "sources": []}'
    )
    done = wrote(Reply(half, ended=Ended(Reason.LENGTH)))
    assert [one.text for one in done.cited.statements][:1] == ["Process X is owned by Team Y."]
    assert "cut off" in done.note


def test_a_refusal_is_a_refusal() -> None:
    with pytest.raises(ModelRefused):
        wrote(Reply("", ended=Ended(Reason.REFUSED)))


def test_a_tool_call_is_ignored_and_counted() -> None:
    call = ToolCall("1", "send_mail", '{"to": "a@evil.example"}')
    done = wrote(Reply(reply(OWNED), (call,)))
    assert (done.cited.text, done.facts["tool_calls_ignored"]) == (OWNED, 1)


def test_the_same_sentence_again_and_again_is_told_once_and_then_stopped() -> None:
    done = wrote(reply(f"{OWNED} " * 500))
    assert done.cited.text == OWNED
    assert int(str(done.facts["sentences"])) < 100
    assert done.note


def test_a_field_that_comes_twice_does_not_pass_for_whole() -> None:
    twice = reply(OWNED).replace("{", '{"answer_markdown": "Team Z", ', 1)
    with pytest.raises(InvalidReply):
        wrote(twice)


def test_what_the_reply_says_of_its_sources_counts_for_nothing() -> None:
    done = wrote(reply(OWNED, "Made Up", "Escalation Policy"))
    assert [one.label for one in done.cited.citations] == ["Process X"]
    assert done.facts["sources_corrected"] is True
    assert "sources_corrected" not in wrote(reply(OWNED, "Process X")).facts


def test_the_prompt_has_the_passages_as_data_with_titles_and_addresses() -> None:
    wanted = Writing(
        QUESTION,
        sources_of([hit(PAGE), hit(POLICY)]),
        Verdict(False, 0.25, missing=("Since when?",)),
        WORDS,
        paths=("Process X depends on Service A. [Process X]",),
    )
    text = answer_prompt(wanted)
    for part in (
        QUESTION,
        PAGE.chunk.text,
        "https://wiki.example/x",
        "Process X depends on",
        "0.25",
    ):
        assert part in text
    assert "not sufficient" in text
    assert "Since when?" in text


def test_the_instructions_are_the_agents_and_usage_is_added_up() -> None:
    model = Scripted(lambda _: Reply(reply(OWNED), ended=Ended(usage=Usage(10, 5), retries=1)))
    wanted = Writing(QUESTION, sources_of([hit(PAGE)]), ENOUGH, WORDS)
    done = asyncio.run(written(model, AGENT, wanted))
    [prompt] = model.prompts
    assert prompt.messages[0].speaker is Speaker.SYSTEM
    assert prompt.messages[0].text == AGENT.instructions
    assert (prompt.schema, prompt.tools) == (AGENT.schema, ())
    assert (done.usage, done.retries, done.model) == (Usage(10, 5), 1, "scripted:script")


@dataclass(slots=True)
class Breaking:
    """Says something, and then breaks or waits for ever."""

    said: str
    waits: bool = False
    identity: ModelIdentity = field(default_factory=lambda: ModelIdentity("test", "breaking"))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:  # noqa: ARG002
        yield TextDelta(self.said)
        if self.waits:
            await asyncio.Event().wait()
        raise BrokenStream("The line went dead.", "Try again.")

    async def close(self) -> None:
        """Nothing is held open."""


@pytest.mark.parametrize(("waits", "error"), [(False, BrokenStream), (True, ModelTimeout)])
def test_a_stream_that_breaks_leaves_what_was_said_or_an_error(waits: bool, error: type) -> None:
    wanted = Writing(QUESTION, sources_of([hit(PAGE)]), ENOUGH, WORDS, seconds=0.2)
    said = '{"answer_markdown": "Process X is owned by Team Y [Process X]. It runs at'
    done = asyncio.run(written(Breaking(said, waits), AGENT, wanted))
    assert done.cited.text == OWNED
    assert "stops where the model did" in done.note
    with pytest.raises(error):
        asyncio.run(written(Breaking('{"answer_markdown": "Process', waits), AGENT, wanted))
