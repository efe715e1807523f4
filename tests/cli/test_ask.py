"""Asking on the command line: the answer, its sources, how sure it is and how it was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import asked, told
from tests.cli.knowledge import DAY, KEPT, MOVE, OWNED, OWNER, fed, take_in, watched


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with knowledge to stand in."""
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    return tmp_path


def test_an_answer_comes_with_its_sources_and_how_sure_it_is() -> None:
    shown = asked("ask", OWNER)
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.stdout.splitlines()]
    assert lines[0] == f"**{OWNED}** {KEPT} [Harbor Queue]"
    assert "[Harbor Queue] Harbor Queue  docs/queue.md#c0 16:93" in lines
    assert f"“{OWNED} {KEPT}”" not in lines
    assert lines[-1].startswith("known, confidence 0.")


def test_the_words_of_a_question_need_no_quotes() -> None:
    assert told("ask", *OWNER.split(), *DAY)["text"] == told("ask", OWNER, *DAY)["text"]


def test_what_nobody_wrote_is_visibly_not_known() -> None:
    shown = asked("ask", "Who painted the Mona Lisa?")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-1].startswith("nothing, confidence 0.")


def test_somebody_who_watches_reads_the_same() -> None:
    in_bold = asked("ask", OWNER, *DAY).stdout
    assert f"**{OWNED}**" in in_bold
    assert watched("ask", OWNER, *DAY) == in_bold.replace("**", "")


def test_json_is_the_whole_answer_and_the_same_again_but_for_the_times() -> None:
    one, other = (told("ask", OWNER, *DAY) for _ in range(2))
    assert one.pop("timing") is not other.pop("timing")
    assert one == other
    assert one["citations"][0]["quote"] == f"{OWNED} {KEPT}"
    [block] = one["statements"]
    assert block["text"][slice(*block["marked"])] == OWNED
    assert one["trace"]["now"] == "2026-10-31T00:00:00+00:00"


def test_the_trace_tells_the_way_step_by_step() -> None:
    shown = asked("ask", OWNER, "--trace", *DAY).stdout
    assert "Trace  on 2026-10-31, at commit " in shown
    for words in (
        "question: Who owns Harbor Queue?",
        "“Harbor Queue” → Harbor Queue (harbor-queue)",
        "entityIds/any(e: e eq 'harbor-queue'",
        "sufficient: yes",
        "docs/queue.md#c0",
    ):
        assert words in shown
    steps = [line.split()[0] for line in shown.splitlines() if line.endswith(" ms")]
    assert [name for name in steps if name in ("resolve", "plan", "rank", "cite")] == [
        "resolve",
        "plan",
        "rank",
        "cite",
    ]


def test_a_persona_sees_what_is_for_it_and_an_operator_all() -> None:
    assert "Oslo" not in asked("ask", MOVE, "--trace").stdout
    assert "Oslo" not in asked("ask", MOVE, "--persona", "finance").stdout
    assert "Oslo" in asked("ask", MOVE, "--persona", "sre").stdout
    assert "Oslo" in asked("ask", MOVE, "--operator").stdout


def test_another_tenant_knows_nothing() -> None:
    assert told("ask", OWNER, "--tenant", "other")["citations"] == []


def test_a_question_is_read_from_stdin() -> None:
    assert OWNED in fed(f"{OWNER}\n", "ask", "-").stdout
    binary = fed(b"\xff\xfe\x00Who owns Harbor Queue?\x00", "ask", "-")
    assert binary.exit_code in (0, 1)
    assert "Traceback" not in binary.output


def test_what_was_said_before_is_taken_into_account(folder: Path) -> None:
    after = told("ask", "And who owns it?", "--after", "What is Harbor Queue?")
    assert OWNED in after["text"]
    turns = [{"role": "user", "text": "What is Harbor Queue?"}]
    (folder / "turns.json").write_text(json.dumps(turns))
    assert told("ask", "And who owns it?", "--history", "turns.json")["text"] == after["text"]
    assert asked("ask", "What is Harbor Queue?", "--save", "first.json").exit_code == 0
    followed = told("ask", "And who owns it?", "--history", "first.json")
    assert OWNED in followed["text"]


def test_a_conversation_is_remembered_for_whoever_speaks_in_it() -> None:
    def understood(*whose: str) -> str:
        answer = told("ask", "And who owns it?", "--conversation", "c1", *whose)
        return str(answer["trace"]["steps"][0]["facts"]["question"])

    told("ask", "What is Harbor Queue?", "--conversation", "c1", "--user", "ann")
    assert "Harbor Queue" in understood("--user", "ann")
    assert "Harbor Queue" not in understood()
    told("ask", "What is Service A?", "--conversation", "c1")
    assert "Service A" in understood()


def test_fixed_sentences_are_in_the_language_of_a_locale_or_the_trace_says_that_they_are_not() -> (
    None
):
    nobody = ("ask", "Who painted the Mona Lisa?", "--trace", *DAY)
    german = asked(*nobody, "--locale", "de-DE").stdout
    assert "31. Oktober 2026" in german
    assert "locale    de-DE\n" in german
    unknown = asked(*nobody, "--locale", "xx").stdout
    assert "locale    xx is not spoken here: fixed sentences are in English\n" in unknown
    assert "locale" not in asked(*nobody).stdout


def test_a_saved_answer_is_the_json_and_is_never_written_over(folder: Path) -> None:
    printed = told("ask", OWNER, "--save", "answer.json")
    assert json.loads((folder / "answer.json").read_text(encoding="utf-8")) == printed
    again = asked("ask", OWNER, "--save", "answer.json")
    assert (again.exit_code, "answer.json exists already" in again.stderr) == (1, True)
    nowhere = asked("ask", OWNER, "--save", "no/answer.json")
    assert (nowhere.exit_code, "cannot be written" in nowhere.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("",), "The question is empty"),
        (("x" * 30_000,), "too many"),
        ((OWNER, "--weights", "beauty=1"), "'beauty=1' is not a weight"),
        ((OWNER, "--weights", "recency=much"), "'recency=much' is not a weight"),
        ((OWNER, "--weights", "recency=-1"), "weight of recency"),
        ((OWNER, "--filter", "{"), "The filter cannot be read"),
        ((OWNER, "--filter", '{"colour": []}'), "unknown field 'colour'"),
        ((OWNER, "--now", "soon"), "'soon' is not a date"),
        ((OWNER, "--profile", "none"), "There is no ranking profile 'none'"),
        ((OWNER, "--history", "none.json"), "none.json cannot be read"),
        ((OWNER, "--history", "sextant.toml"), "sextant.toml holds no turns"),
        ((OWNER, "--history", "docs"), "docs cannot be read"),
        ((OWNER, "--history", "x", "--after", "y"), "Earlier turns are given twice"),
        ((OWNER, "--locale", "plain German"), "is not a locale"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(arguments: tuple[str, ...], words: str) -> None:
    shown = asked("ask", *arguments)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert words in " ".join(shown.stderr.split())
    assert "Traceback" not in shown.stderr


def test_options_reach_the_question() -> None:
    narrow = '{"document_ids_any": ["docs/a.md"]}'
    cited = told("ask", OWNER, "--filter", narrow)["citations"]
    assert {one["document_id"] for one in cited} <= {"docs/a.md"}
    traced = told("ask", OWNER, "--weights", "recency=1", "--budget-ms", "60000")["trace"]
    (ranked, *_) = [step for step in traced["steps"] if step["name"] == "rank"]
    assert (ranked["facts"]["weights"][1], ranked["facts"]["origin"]) == (
        1.0,
        "request over default",
    )


def test_signs_that_steer_a_terminal_are_not_printed(folder: Path) -> None:
    (folder / "docs" / "evil.md").write_text(
        "# Red Buoy\n\nRed Buoy is owned by \x1b[31mTeam\u202e Z.\x07\n", encoding="utf-8"
    )
    told("ingest", "docs")
    shown = asked("ask", "Who owns Red Buoy?", "--trace").stdout
    assert "Red Buoy is owned by" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


@pytest.mark.parametrize("command", ["ask", "search", "verify", "eval", "feedback"])
def test_help_teaches_with_an_example(command: str) -> None:
    shown = asked(command, "--help")
    assert shown.exit_code == 0
    assert "Example" in shown.stdout
    assert f"sextant {command}" in " ".join(shown.stdout.split())


def test_whoever_asks_a_store_that_is_not_there_is_told_and_makes_none() -> None:
    shown = asked("ask", OWNER, "--store", "sqlite:nowhere")
    assert shown.exit_code == 1
    assert "There is no store sqlite:nowhere." in shown.stderr
    assert not Path("nowhere").exists()


def test_a_tenant_that_holds_nothing_says_so_and_how_to_fill_it() -> None:
    shown = asked("ask", OWNER, "--tenant", "acme")
    assert shown.stdout.startswith("This tenant holds nothing yet")
    assert "`sextant ingest DOCS --tenant acme`" in shown.stderr
    found = asked("search", OWNER, "--tenant", "acme")
    assert found.stdout.startswith("This tenant holds nothing yet")
    answer = told("ask", OWNER, "--tenant", "acme")
    retrieve = next(one for one in answer["trace"]["steps"] if one["name"] == "retrieve")
    assert retrieve["facts"]["empty"] is True
    assert not answer["verdict"]["sufficient"]


def test_an_answer_of_a_tenant_that_holds_nothing_can_be_verified() -> None:
    assert asked("ask", OWNER, "--tenant", "acme", "--save", "none.json").exit_code == 0
    assert asked("verify", "none.json", "--tenant", "acme").exit_code == 0


def test_a_store_in_the_home_of_somebody_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert OWNED in asked("ask", OWNER, "--store", "sqlite:~/kept").stdout


def test_what_a_budget_left_out_is_told() -> None:
    shown = asked("ask", OWNER, "--budget-ms", "1", *DAY)
    assert "left out for the budget: " in shown.stdout
