"""The agentic workflow, to the letter: retrievers of others, and workflows that are imported."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.declarative.importing import import_workflow, write_files
from sextant.ask.workflow.load import load
from sextant.ask.workflow.nouns import OWN_RETRIEVER, RETRIEVER, Workflow
from sextant.build import open_retriever
from sextant.core import Sextant
from sextant.settings import Settings
from sextant.types import Answer, RetrievalRequest, Scope
from tests.ask.model_steps.playing import ask, in_place, playing, with_model
from tests.cli.commands import asked as run_command
from tests.links.http_server import Heard, found, served
from tests.loopback import Answer as Reply
from tests.seeds.requirement import requirement

HERE = Path(__file__).parent
FILE = HERE / "seed_004" / "workflows" / "current-agentic-rag-workflow.yaml"
CHUNK = '{"query_used": "owner", "chunk_texts": ["Mallow Quay is owned by Team Fern."], "chunk_sources": ["Quays - https://quays.example/mallow"]}'  # noqa: E501
QUESTION = "Who owns Mallow Quay?"


def with_retriever(url: str, workflow: Workflow | None = None) -> Answer:
    """Ask a model that selects and cites the quay, by way of a retriever at an address."""
    answers: list[Answer] = []

    async def task(sextant: Sextant) -> None:
        retriever = open_retriever(sextant.settings, url)
        selected = {
            "selected_chunk_texts": ["Mallow Quay is owned by Team Fern."],
            "selected_sources": ["Quays"],
            "selected_rationales": ["names the owner"],
            "missing_info_questions": [],
        }
        said = {"answer_markdown": "Team Fern owns Mallow Quay. [Quays]", "sources": ["Quays"]}
        model = playing(rerank=selected, answer=said)
        own = replace(sextant, chat=Chat(model, workflow or load(), retriever=retriever))
        answers.append(await ask(own, QUESTION))
        failed = (await own.verify(Scope(), answers[0])).failed
        assert not [one for one in failed if "more than the statements" in one.says]
        assert retriever
        await retriever.close()

    in_place(task)
    return answers[0]


@requirement("004-039", "004-012")
def test_a_service_that_replies_in_the_shape_of_the_schema_is_a_retriever() -> None:
    def reply(_: Heard) -> Reply:
        return Reply(body=CHUNK.encode())

    with served(reply) as server:
        answer = with_retriever(f"{server.url}/find")
    assert answer.text == "Team Fern owns Mallow Quay. [Quays]"
    assert answer.citations[0].url == "https://quays.example/mallow"
    assert set(server.heard[0].body) == {"user_question", "query", "retrieval_goal", "filter"}


@requirement("004-014")
def test_texts_without_a_source_each_are_not_taken_and_the_answer_tells_of_the_failure() -> None:
    with served(lambda _: found(["a", "b"], ["S"])) as server:
        answer = with_retriever(f"{server.url}/find")
    assert not answer.citations
    assert answer.text.endswith(
        "A source outside could not be asked; what it holds may be missing here."
    )
    (step,) = [one for one in answer.trace.steps if one.name == "retrieve"]
    assert "2 texts and 1 sources" in step.fallback
    assert step.facts["candidates"] == 0


@requirement("004-039")
def test_our_own_store_answers_for_a_retriever_that_fails_only_if_the_workflow_says_so() -> None:
    workflow = load()
    agent = replace(workflow.agents[RETRIEVER], fallback=OWN_RETRIEVER)
    falling_back = replace(workflow, agents={**workflow.agents, RETRIEVER: agent})
    with served(lambda _: Reply(500)) as server:
        alone = with_retriever(f"{server.url}/find")
        helped = with_retriever(f"{server.url}/find", falling_back)
    told = "A source outside could not be asked"
    assert told in alone.text
    assert told in helped.text
    ranked = [one.facts["hits"] for one in helped.trace.steps if one.name == "rank"]
    assert any(ranked)
    assert not any(one.name == "rank" for one in alone.trace.steps)


@requirement("004-040")
@pytest.mark.parametrize("tool", ["find", "find_as_text"])
def test_a_tool_of_an_mcp_server_is_a_retriever(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE.parents[1])
    command = f"'{sys.executable}' -m tests.links.mcp_server stdio"

    async def run() -> None:
        retriever = open_retriever(Settings(), f"mcp:{command}#{tool}")
        assert retriever
        got = await retriever.retrieve(RetrievalRequest(QUESTION, "owner of the quay"))
        assert got.query_used == "owner of the quay"
        assert len(got.texts) == len(got.sources) > 0
        await retriever.close()

    asyncio.run(run())


def imported(folder: Path) -> Workflow:
    write_files(folder, import_workflow(FILE).files)
    return load(str(folder))


@requirement("004-041")
def test_the_retrievers_server_is_understood(tmp_path: Path) -> None:
    agent = imported(tmp_path).agents[RETRIEVER]
    assert agent.retriever == "mcp:https://mcp.example/mcp"
    assert (agent.server_label, agent.project_connection_id) == ("docs", "docs-connection")


@requirement("004-042", "004-030")
def test_the_workflows_yaml_is_read_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run_command("workflow", "import", str(FILE), "--out", "mine")
    assert ended.exit_code == 0, ended.output
    assert "SEXTANT_WORKFLOW=mine" in ended.output
    own = load("mine")
    assert (own.name, own.max_retries, own.limits.queries) == ("Agentic-RAG", 1, 2)
    again = run_command("workflow", "import", str(FILE), "--out", "mine")
    assert again.exit_code == 1
    broken = tmp_path / "broken.yaml"
    broken.write_text(FILE.read_text("utf-8").replace("=Coalesce(", "=Patch("), "utf-8")
    refused = run_command("workflow", "import", str(broken), "--out", "other")
    assert refused.exit_code == 1
    assert "broken.yaml, line" in refused.output
    assert "Patch" in refused.output
    assert not Path("other").exists()


@requirement("004-043")
def test_an_imported_workflow_runs_with_its_own_agents(tmp_path: Path) -> None:
    workflow = imported(tmp_path)

    async def task(sextant: Sextant) -> None:
        model = playing()
        answer = await ask(with_model(sextant, model, workflow))
        assert answer.text == "Team Keel owns Harbor Queue. [Harbor Queue]"
        told = {one.schema.name: one.messages[0].text for one in model.prompts if one.schema}
        assert told["rag-rerank-schema"].startswith("Select the best chunks.")
        assert told["rag-answer-schema"].startswith("Answer from the chunks alone")
        plan = next(one.schema for one in model.prompts if "plan" in str(one.schema))
        assert plan
        assert json.loads(json.dumps(plan.schema))["properties"]["queries"]["maxItems"] == 2

    in_place(task)
