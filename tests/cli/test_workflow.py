"""`sextant workflow`: shown, checked and copied."""

from pathlib import Path

import pytest

from sextant.ask.workflow.nouns import SHIPPED, STEPS
from sextant.ask.workflow.place import shipped
from tests.cli.commands import asked, told

ANSWER = "agents/rag-answer-agent.yaml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SEXTANT_WORKFLOW", "SEXTANT_LLM", "SEXTANT_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_the_shipped_workflow_is_shown_in_order() -> None:
    shown = asked("workflow", "show")
    assert shown.exit_code == 0
    places = [shown.output.index(f" {step} ") for step in STEPS]
    assert places == sorted(places)
    assert "queries 3, retrieved 20, selected 8" in shown.output
    assert "yours" not in shown.output


def test_a_copy_is_made_changed_and_shown_as_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked("workflow", "copy", "mine").exit_code == 0
    assert all(Path("mine", name).is_file() for name in shipped())
    assert asked("workflow", "check", "mine").exit_code == 0
    Path("mine/schemas/rag-answer-schema.json").unlink()
    own = Path("mine", ANSWER)
    own.write_text(own.read_text().replace('model: ""', "model: openai:big"))
    monkeypatch.setenv("SEXTANT_WORKFLOW", "mine")
    monkeypatch.setenv("SEXTANT_LLM", "openai:small")
    shown = told("workflow", "show")
    by = {one["name"]: one["by"] for one in shown["steps"]}
    assert (by["answer"], by["rerank"], by["retriever"]) == (
        "openai:big",
        "openai:small",
        "sextant",
    )
    assert shown["files"][ANSWER] == str(own.resolve())
    assert shown["files"]["schemas/rag-answer-schema.json"] == SHIPPED
    assert f"yours: {ANSWER}" in asked("workflow", "show").output


def test_a_copy_never_overwrites() -> None:
    Path("mine/agents").mkdir(parents=True)
    Path("mine", ANSWER).write_text("mine")
    ended = asked("workflow", "copy", "mine")
    assert ended.exit_code == 1
    assert ANSWER in ended.output
    assert Path("mine", ANSWER).read_text() == "mine"
    assert len(list(Path("mine").rglob("*.*"))) == 1


def test_a_place_that_cannot_be_written_to_is_told() -> None:
    Path("file").write_text("x")
    ended = asked("workflow", "copy", "file/mine")
    assert ended.exit_code == 1
    assert "cannot be made" in ended.output


def test_every_mistake_is_told_and_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("mine/agents").mkdir(parents=True)
    Path("mine", ANSWER).write_text("name: answer\nversion: x\nmodle: ''\n")
    ended = asked("workflow", "check", "mine")
    assert ended.exit_code == 1
    assert "line 2: version is 'x'" in ended.output
    assert "Did you mean model?" in ended.output
    monkeypatch.setenv("SEXTANT_WORKFLOW", "mine")
    assert asked("workflow", "check").exit_code == 1
    shown = asked("workflow", "show")
    assert shown.exit_code == 1
    assert "more: `sextant workflow check`" in shown.output


def test_mistakes_for_programs() -> None:
    assert told("workflow", "check") == {"ok": True, "mistakes": []}
    ended = asked("workflow", "check", "nowhere", "--json")
    assert ended.exit_code == 1
    assert '"ok": false' in ended.output


def test_a_model_that_nobody_knows_is_a_mistake() -> None:
    asked("workflow", "copy", "mine")
    own = Path("mine", ANSWER)
    own.write_text(own.read_text().replace('model: ""', "model: opnai:gpt-5"))
    ended = asked("workflow", "check", "mine")
    assert ended.exit_code == 1
    assert ANSWER in ended.output
    assert "openai:" in ended.output
