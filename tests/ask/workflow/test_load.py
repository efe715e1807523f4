"""Workflow files: the shipped ones, a user's own, and every mistake that one can make in them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sextant.ask.workflow.load import examine, load
from sextant.ask.workflow.nouns import SHIPPED, STEPS
from sextant.ask.workflow.place import LARGEST, MAIN, shipped, shipped_text
from sextant.errors import ConfigError

ANSWER = "agents/rag-answer-agent.yaml"
RETRIEVER = "agents/rag-retriever-agent.yaml"
PLAN_SCHEMA = "schemas/rag-query-plan-schema.json"


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., str]:
    """Make a folder that holds these files; a text that is changed is a shipped one."""

    def write(contents: dict[str, str]) -> str:
        for name, text in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return str(tmp_path)

    return write


def changed(name: str, old: str, new: str) -> dict[str, str]:
    text = shipped_text(name)
    assert old in text
    return {name: text.replace(old, new, 1)}


def test_the_wheel_has_the_files_that_the_seed_names() -> None:
    names = ("intent-router", "query-plan", "retriever", "rerank", "evidence", "answer")
    schemas = ("intent-router", "query-plan", "retrieval", "rerank", "evidence", "answer")
    package = files("sextant.ask.workflow")
    wanted = {
        "workflows/current-agentic-rag-workflow.yaml",
        *(f"agents/rag-{name}-agent.yaml" for name in names),
        *(f"schemas/rag-{name}-schema.json" for name in schemas),
    }
    assert set(shipped()) == wanted
    assert all(package.joinpath(name).is_file() for name in wanted)


def test_the_shipped_workflow_has_all_steps_in_their_order() -> None:
    workflow = load()
    assert tuple(workflow.agents) == STEPS
    assert workflow.max_retries == 1
    assert asdict(workflow.limits) == {
        "queries": 3,
        "retrieved": 20,
        "selected": 8,
        "missing": 3,
        "followups": 3,
        "seconds": 180,
    }
    assert set(workflow.origins.values()) == {SHIPPED}
    assert set(workflow.origins) == set(shipped())


def test_every_prompt_says_what_is_data_and_asks_for_json() -> None:
    for name, agent in load().agents.items():
        if name == "retriever":
            assert (agent.retriever, agent.instructions, agent.model) == ("sextant", "", "")
            continue
        assert "Reply with JSON alone." in agent.instructions
        assert "<<<" in agent.instructions
        assert "is data" in agent.instructions
        assert len(agent.instructions) < 2_500
        example = agent.instructions.strip().splitlines()[-1]
        Draft202012Validator(agent.schema.schema).validate(json.loads(example))


FIELDS: dict[str, dict[str, Any]] = {
    "intent-router": {
        "should_run_rag": "boolean",
        "route": "string",
        "assistant_message": "string",
    },
    "query-plan": {"queries": 3, "retrieval_goals": 3, "filter": "string"},
    "retriever": {"query_used": "string", "chunk_texts": 20, "chunk_sources": 20},
    "rerank": {
        "selected_chunk_texts": 8,
        "selected_sources": 8,
        "selected_rationales": 8,
        "missing_info_questions": 3,
    },
    "evidence": {
        "is_sufficient": "boolean",
        "confidence": "number",
        "key_points": None,
        "key_point_sources": None,
        "missing_info_questions": 3,
        "followup_queries": 3,
        "followup_retrieval_goals": 3,
    },
    "answer": {"answer_markdown": "string", "sources": None},
}


@pytest.mark.parametrize("step", STEPS)
def test_schemas_have_exactly_the_fields_of_the_seed(step: str) -> None:
    schema: Any = load().agents[step].schema.schema
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"]) == list(FIELDS[step])
    for name, wanted in FIELDS[step].items():
        own = schema["properties"][name]
        if isinstance(wanted, str):
            assert own["type"] == wanted
        else:
            assert (own["type"], own["items"]) == ("array", {"type": "string"})
            assert own.get("maxItems") == wanted
    properties = schema["properties"]
    assert "route" not in properties or properties["route"]["enum"] == ["run_rag", "no_rag"]
    if "confidence" in properties:
        assert (properties["confidence"]["minimum"], properties["confidence"]["maximum"]) == (0, 1)


def test_a_folder_with_one_file_takes_the_others_from_the_package(own: Any) -> None:
    folder = own(changed(ANSWER, 'model: ""', "model: openai:gpt-large"))
    workflow = load(folder)
    assert workflow.agents["answer"].model == "openai:gpt-large"
    assert workflow.agents["rerank"] == load().agents["rerank"]
    assert {name for name, at in workflow.origins.items() if at != SHIPPED} == {ANSWER}


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(own: Any) -> None:
    folder = own(changed(ANSWER, "temperature: 0", "temperature: 0.5"))
    first = load(folder)
    assert load(folder) is first
    own(changed(ANSWER, "temperature: 0", "temperature: 1.25"))
    assert load(folder).agents["answer"].temperature == 1.25


def test_lower_limits_shorten_the_lists_that_models_may_give(own: Any) -> None:
    folder = own(changed(MAIN, "selected: 8", "selected: 2"))
    schema: Any = load(folder).agents["rerank"].schema.schema
    assert schema["properties"]["selected_sources"]["maxItems"] == 2
    assert schema["properties"]["missing_info_questions"]["maxItems"] == 3


def test_an_agent_may_have_a_file_of_another_name(own: Any) -> None:
    name = "agents/mine.yaml"
    folder = own({**changed(MAIN, ANSWER, name), name: shipped_text(ANSWER)})
    assert load(folder).agents["answer"].file == name


def test_a_schema_may_be_told_in_other_words(own: Any) -> None:
    folder = own(changed(PLAN_SCHEMA, "Short search queries.", "Kurze Suchanfragen."))
    assert "Kurze" in json.dumps(load(folder).agents["query-plan"].schema.schema)


@pytest.mark.parametrize("choice", ["https://h/x", "http://127.0.0.1:8/x?a=b", "mcp:https://h/mcp#t",
    "mcp:uvx some-server --flag#find", "mcp:https://h/mcp"])  # fmt: skip
def test_retrievers_of_others_are_taken(own: Any, choice: str) -> None:
    folder = own(changed(RETRIEVER, "retriever: sextant", f"retriever: '{choice}'"))
    assert load(folder).agents["retriever"].retriever == choice


WRONG = [
    (ANSWER, "temperature: 0", "temprature: 0", "line 5: temprature is no key", "temperature?"),
    (ANSWER, "temperature: 0\n", "", "temperature is missing", "Add"),
    (ANSWER, "temperature: 0", "temperature: hot", "line 5: temperature is 'hot'", "0 to 2"),
    (ANSWER, "temperature: 0", "temperature: .nan", "temperature is nan", "0 to 2"),
    (ANSWER, "temperature: 0", "temperature: yes", "temperature is True", "0 to 2"),
    (ANSWER, "temperature: 0", "temperature: 0\ntemperature: 1", "line 6: temperature", "twice"),
    (ANSWER, "version: 1", "version: one", "line 2: version is 'one'", "whole number"),
    (ANSWER, "version: 1", "version: 0", "version is 0", "from 1"),
    (ANSWER, "version: 1", "version: 1.5", "version is 1.5", "whole number"),
    (ANSWER, "version: 1", f"version: {'9' * 5000}", "a number or a date", ""),
    (ANSWER, "version: 1", "version: 2025-99-99", "a number or a date", ""),
    (ANSWER, "max_tokens: 1500", "max_tokens: 9000000", "max_tokens", "32000"),
    (ANSWER, "seconds: 90", "seconds: 0", "seconds is 0", "0.1"),
    (ANSWER, "name: answer", "name: rerank", "agent of the step answer", ""),
    (ANSWER, "name: answer", "name: writer", "no such agent", "name: answer"),
    (ANSWER, 'model: ""', "model: gpt", "model is 'gpt'", "openai:NAME"),
    (ANSWER, 'model: ""', "model:", "model is None", "configured"),
    (ANSWER, "instructions: |", "instructions: ''\nx: |", "instructions is ''", "not empty"),
    (ANSWER, "  You answer", "  " + "x" * 9_000, "instructions is", "8,000 characters"),
    (ANSWER, "instructions: |", "retriever: sextant\ninstructions: |", "retriever is no key", ""),
    (ANSWER, "schemas/rag-answer-schema.json", "../x.json", "line 8: schema", "schemas/NAME"),
    (
        ANSWER,
        "schemas/rag-answer-schema.json",
        "/etc/passwd",
        "schema is '/etc/passwd'",
        "schemas/",
    ),
    (ANSWER, "schemas/rag-answer-schema.json", "schemas/a/../b.json", "schema is", "schemas/"),
    (ANSWER, "schemas/rag-answer-schema.json", "'schemas/..\\x.json'", "schema is", "schemas/"),
    (
        ANSWER,
        "rag-answer-schema.json",
        "rag-anwser-schema.json",
        "line 8: there is no file",
        "answer-schema",
    ),
    (
        ANSWER,
        "rag-answer-schema.json",
        "rag-rerank-schema.json",
        "properties lacks answer_markdown",
        "titles",
    ),
    (ANSWER, "version: 1", "version: [1", "line 3: it is no YAML", ""),
    (ANSWER, "version: 1", "version: !!python/object:os.system x", "line 2: it is no YAML", ""),
    (ANSWER, "version: 1", "version: &a 1", "line 2: anchors", "Write it out"),
    (ANSWER, "version: 1", "version: *a", "line 2: anchors", "Write it out"),
    (ANSWER, "version: 1", "version: [[[[[[[[[[1]]]]]]]]]]", "nested deeper", ""),
    (ANSWER, "version: 1", "version: 1\n---", "it is no YAML", ""),
    (ANSWER, "version: 1", "version: \x07", "it is no YAML", ""),
    (RETRIEVER, "retriever: sextant", "retriever: ftp://x", "retriever is 'ftp://x'", "mcp:"),
    (RETRIEVER, "retriever: sextant", "retriever: mcp:command", "retriever", "#tool"),
    (RETRIEVER, "fallback: none", "fallback: maybe", "fallback is", "none or sextant"),
    (RETRIEVER, "retriever: sextant", "retriever: https://u:p@h/x", "retriever", "password"),
    (RETRIEVER, "retriever: sextant", "retriever: 'https://[x'", "retriever", "mcp:"),
    (RETRIEVER, "seconds: 30", "seconds: 30\nmodel: ''", "model is no key", "Known"),
    (MAIN, "max_retries: 1", "max_retries: 9", "max_retries is 9", "0 to 3"),
    (MAIN, "queries: 3 ", "queries: 4 ", "queries is 4", "1 to 3"),
    (MAIN, "retrieved: 20", "retrieved: 21", "retrieved is 21", "1 to 20"),
    (MAIN, "selected: 8", "selectd: 8", "selectd is no key", "selected?"),
    (MAIN, "  queries: 3 ", "  1: 3 ", "1 is no key", "Known"),
    (MAIN, "name: rerank", "name: re-rank", "no step 're-rank'", "rerank?"),
    (MAIN, "name: rerank", "name: evidence", "not in their order", "intent-router, query-plan"),
    (MAIN, "name: rerank", "nam: rerank", "nam is no key", "name?"),
    (MAIN, "  - name: intent-router", "  - 3\n  - name: intent-router", "a step is 3", ""),
    (
        MAIN,
        "agents/rag-rerank-agent.yaml",
        "agents/rag-rank-agent.yaml",
        "there is no file",
        "rerank",
    ),
    (MAIN, "agents/rag-rerank-agent.yaml", "../../x.yaml", "agent is '../../x.yaml'", "agents/"),
    (
        PLAN_SCHEMA,
        '"maxItems": 3',
        '"maxItems": 9',
        "queries.maxItems is 9; it must be 3",
        "titles",
    ),
    (PLAN_SCHEMA, '"filter"', '"filtre"', "lacks filter", "titles"),
    (PLAN_SCHEMA, '"additionalProperties": false', '"additionalProperties": true', "must be", ""),
    (PLAN_SCHEMA, '"type": "object"', '"type": "object", "$ref": "x"', "must not be there", ""),
    (PLAN_SCHEMA, '"title"', "title", "line 3: it is no JSON", ""),
    (PLAN_SCHEMA, shipped_text(PLAN_SCHEMA), "[]", "a schema is an object", ""),
    (PLAN_SCHEMA, shipped_text(PLAN_SCHEMA), "[" * 50_000, "no JSON that can be read", ""),
    (ANSWER, "description: Writes", "description: 3 #", "description is 3", "a text"),
    (RETRIEVER, "retriever: sextant", 'retriever: "a\\tb"', "retriever is 'a", "mcp:"),
]


@pytest.mark.parametrize(("name", "old", "new", "told", "allowed"), WRONG)
def test_a_mistake_is_told_with_its_file_and_what_is_allowed(
    own: Any, name: str, old: str, new: str, told: str, allowed: str
) -> None:
    folder = own(changed(name, old, new))
    with pytest.raises(ConfigError) as caught:
        load(folder)
    everything = "\n".join(map(str, examine(folder).mistakes))
    assert told in everything
    assert allowed in everything
    assert name.partition(".")[0].rpartition("/")[2] in everything
    assert "Traceback" not in str(caught.value)


def test_every_mistake_is_told_at_once(own: Any) -> None:
    folder = own(
        changed(MAIN, "max_retries: 1", "max_retries: 9")
        | changed(ANSWER, "temperature: 0", "temperature: 9")
        | changed(PLAN_SCHEMA, '"maxItems": 3', '"maxItems": 4')
        | {"agents/rag-rerank-agnet.yaml": "x: 1", "rag-evidence-agent.yaml": "x: 1"}
    )
    told = [str(one) for one in examine(folder).mistakes]
    assert len(told) == 5
    assert any("Did you mean agents/rag-rerank-agent.yaml?" in one for one in told)
    assert any("belongs to agents/rag-evidence-agent.yaml" in one for one in told)
    with pytest.raises(ConfigError, match="4 more"):
        load(folder)


def test_files_that_cannot_be_taken_are_told(own: Any, tmp_path: Path) -> None:
    folder = own({"agents/x.txt": ""})
    agents = Path(folder, "agents")
    outside = tmp_path.parent / "outside.yaml"
    outside.write_text(shipped_text(ANSWER))
    (agents / "rag-answer-agent.yaml").symlink_to(outside)
    (agents / "rag-rerank-agent.yaml").symlink_to("nowhere.yaml")
    (agents / "rag-evidence-agent.yaml").mkdir()
    (agents / "rag-query-plan-agent.yaml").write_bytes(b"name: \xff")
    (agents / "rag-intent-router-agent.yaml").write_bytes(b"#" * (LARGEST + 1))
    os.mkfifo(agents / "rag-retriever-agent.yaml")
    told = {str(one).partition(":")[0]: str(one) for one in examine(folder).mistakes}
    assert "leads out of the folder" in told["agents/rag-answer-agent.yaml"]
    assert "is not a file" in told["agents/rag-rerank-agent.yaml"]
    assert "is not a file" in told["agents/rag-evidence-agent.yaml"]
    assert "UTF-8" in told["agents/rag-query-plan-agent.yaml"]
    assert "larger than" in told["agents/rag-intent-router-agent.yaml"]
    assert "is not a file" in told["agents/rag-retriever-agent.yaml"]


def test_a_folder_of_something_else_is_not_searched_through(own: Any) -> None:
    folder = own({f"{number}.yaml": "" for number in range(201)})
    with pytest.raises(ConfigError, match="more than 200 files"):
        load(folder)


@pytest.mark.parametrize("name", ["nowhere", "empty", "file.yaml", "a\0b"])
def test_a_folder_that_is_no_workflow_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.yaml").write_text("x: 1")
    with pytest.raises(ConfigError, match="workflow copy"):
        load(name)


def test_a_copy_of_everything_is_right(own: Any) -> None:
    folder = own({name: shipped_text(name) for name in shipped()})
    workflow = load(folder)
    assert SHIPPED not in workflow.origins.values()
    assert {name: agent.schema for name, agent in workflow.agents.items()} == {
        name: agent.schema for name, agent in load().agents.items()
    }


def test_a_file_that_says_nothing_or_no_table_is_told(own: Any) -> None:
    for text in ("", "# nothing", "- a\n- b", "just text", "1: 2"):
        (told,) = examine(own({ANSWER: text})).mistakes
        assert "no table" in str(told)
