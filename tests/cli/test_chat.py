"""A chat in the terminal: text and sources on stdout, steps aside, and who is there to answer."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import entrypoints
from sextant.entrypoints import ACTIONS, LLMS
from sextant.plugins import action
from tests.cli.commands import SETTINGS, asked, told
from tests.cli.knowledge import KEPT, OWNED, OWNER, take_in
from tests.serve.agui.steered_model import SCHEME


@action(approval=True)
def cancel_order(order: int) -> str:
    """Cancel an order for good."""
    return f"Order {order} is cancelled."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    return tmp_path


def test_an_answer_comes_with_its_sources_and_its_steps_aside() -> None:
    shown = asked("chat", OWNER)
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.stdout.splitlines()]
    assert lines[0].startswith(f"**{OWNED}** {KEPT}")
    assert "Sources" in lines
    assert f"“{OWNED} {KEPT}”" in lines
    assert lines[-1].startswith("known, confidence 0.")
    assert "looking up Harbor Queue…" in shown.stderr
    assert "looking up" not in shown.stdout


def test_json_has_the_text_the_state_and_the_thread() -> None:
    run = told("chat", OWNER, "--thread", "t1")
    assert (run["thread"], run["agent"], run["error"]) == ("t1", "default", None)
    assert run["text"].startswith(f"**{OWNED}** {KEPT}")
    assert run["state"]["citations"][0]["quote"] == f"{OWNED} {KEPT}"


def test_a_thread_goes_on() -> None:
    told("chat", OWNER, "--thread", "t1")
    alone, again = asked("chat", "Who owns it?"), asked("chat", "Who owns it?", "--thread", "t1")
    assert "looking up Harbor Queue" in again.stderr
    assert "looking up Harbor Queue" not in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to say"),
        (("--answer", "yes"), "--answer is for a thread"),
        (("Hello", "--answer-to", "i1"), "--answer-to needs an answer"),
        (("Hello", "--agent", "nobody"), "no agent 'nobody'"),
        (("--thread", "t9", "--answer", "yes"), "waits for that answer"),
    ],
)
def test_what_cannot_be_is_said(arguments: tuple[str, ...], message: str) -> None:
    shown = asked("chat", *arguments)
    assert shown.exit_code == 1
    assert message in shown.stderr


def test_a_denied_message_fails_and_says_why(folder: Path) -> None:
    (folder / "sextant.toml").write_text(f'{SETTINGS}[guardrails]\ndeny = ["harbor queue"]\n')
    shown = asked("chat", OWNER)
    assert shown.exit_code == 1
    assert "Topic 'harbor queue' is not allowed." in shown.stderr
    assert shown.stdout == ""


@pytest.fixture
def two_waiting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Two calls of an action that wait for a person in the thread t1."""
    (folder / "sextant.toml").write_text(
        f'{SETTINGS}llm = "{SCHEME}:"\n[chat]\ngrounding = "off"\n'
    )
    points = EntryPoints(
        [
            EntryPoint(SCHEME, "tests.serve.agui.steered_model:open_model", LLMS),
            EntryPoint("cancel_order", "tests.cli.test_chat:cancel_order", ACTIONS),
        ]
    )
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
    both = 'TOOL:cancel_order:{"order":21};TOOL:cancel_order:{"order":22}'
    waits: list[dict[str, str]] = told("chat", both, "--thread", "t1")["waits"]
    return waits


def test_an_answer_is_for_what_was_asked_first_and_is_shown_with_what_still_waits(
    two_waiting: list[dict[str, str]],
) -> None:
    shown = asked("chat", "--thread", "t1", "--answer", "yes")
    first, second = (one["value"] for one in two_waiting)
    answered, *others = shown.stderr.splitlines()
    assert answered == f"yes ← {first}"
    assert f"? {second}" in others
    assert "cancel_order → Order 21 is cancelled." in others
    assert others[-1] == "It waits for you: sextant chat --thread t1 --answer yes"
    last = asked("chat", "--thread", "t1", "--answer", "no")
    assert last.stderr.startswith(f"no ← {second}")
    assert "Order 22 is cancelled" not in last.stderr
    assert "waits for you" not in last.stderr


def test_of_several_that_wait_another_one_than_the_first_is_answered_by_its_id(
    two_waiting: list[dict[str, str]],
) -> None:
    ids = [one["interrupt_id"] for one in two_waiting]
    run = told("chat", "--thread", "t1", "--answer", "yes", "--answer-to", ids[1])
    assert [one["result"] for one in run["actions"]] == ["Order 22 is cancelled."]
    assert [one["interrupt_id"] for one in run["waits"]] == ids[:1]


def test_all_that_waits_is_shown_with_how_to_answer_it(two_waiting: list[dict[str, str]]) -> None:
    both = 'TOOL:cancel_order:{"order":31};TOOL:cancel_order:{"order":32}'
    shown = asked("chat", both, "--thread", "t2")
    commands = [line for line in shown.stderr.splitlines() if "sextant chat" in line]
    assert len(commands) == len(two_waiting)
    assert all("--thread t2 --answer yes --answer-to " in line for line in commands)


def test_agents_are_listed_without_asking_anybody(folder: Path) -> None:
    servers = '[[toolbox.servers]]\nname = "gone"\nat = "no-such-command"\n'
    chat = '[chat]\ntool_servers = ["gone"]\n[guardrails]\nservices = ["local:"]\n'
    (folder / "sextant.toml").write_text(f"{SETTINGS}{chat}{servers}")
    found = told("agents", "list")
    kinds = [(one["kind"], one["name"], one["fault"]) for one in found]
    assert kinds == [
        ("agent", "default", ""),
        ("tool server", "gone", ""),
        ("guardrail", "local", ""),
    ]
    checked = asked("agents", "check", "--json")
    assert checked.exit_code == 1
    faults = {one["name"]: one["fault"] for one in json.loads(checked.stdout)}
    assert "gone" in faults.pop("gone")
    assert faults == {"default": "", "local": ""}
    assert "1 of 3 cannot be used." in asked("agents", "check").stdout


def test_what_waits_for_a_person_is_listed_and_a_pattern_that_holds_nothing_is_a_fault(
    folder: Path, two_waiting: list[dict[str, str]]
) -> None:
    settings = (folder / "sextant.toml").read_text()
    (folder / "sextant.toml").write_text(f'{settings}approve = ["cancel_*", "nope.*"]\n')
    listed = {(one["kind"], one["name"]): one for one in told("agents", "list")}
    assert listed["action", "cancel_order"]["needs_approval"]
    assert listed["approval", "cancel_*"]["description"] == "cancel_order"
    assert "waits for a person" in asked("agents", "list").stdout
    checked = asked("agents", "check")
    assert checked.exit_code == 1
    assert "It fits no action" in checked.stdout
    assert len(two_waiting) == 2


def test_who_needs_a_model_fails_without_one(folder: Path) -> None:
    (folder / "sextant.toml").write_text(f'{SETTINGS}[chat]\ngrounding = "off"\n')
    shown = asked("agents", "check")
    assert shown.exit_code == 1
    assert "needs a language model" in shown.stdout


def test_looking_who_is_there_makes_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    (empty / "sextant.toml").write_text(SETTINGS)
    assert asked("agents", "check").exit_code == 0
    assert [one.name for one in empty.iterdir()] == ["sextant.toml"]
