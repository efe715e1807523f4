"""`sextant llm check`: a sentence for every model that can and for every one that cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import asked, sextant
from tests.cli.serving import serving


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEXTANT_MODEL_RETRIES", "0")


def test_a_model_that_answers_is_shown_with_what_it_can_do() -> None:
    with serving() as url:
        ended = asked("llm", "check", "--llm", url)
    assert ended.exit_code == 0, ended.output
    words = " ".join(ended.stdout.split())
    assert "answers yes" in words
    assert "obeys JSON schemas yes" in words


def test_programs_get_it_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_MODEL_OUTPUT_PRICE", "1000000")
    with serving() as url:
        monkeypatch.setenv("SEXTANT_LLM", url)
        ended = asked("llm", "check", "--json")
    told = json.loads(ended.stdout)
    assert (ended.exit_code, told["answers"], told["error"]) == (0, True, None)
    assert [trial["name"] for trial in told["trials"]][:2] == ["answers", "streams"]
    assert told["cost"] == sum(trial["usage"]["written"] for trial in told["trials"])


@pytest.mark.parametrize(
    ("deed", "said"), [("401", "401"), ("404", "404"), ("html", "no"), ("reset", "no")]
)
def test_a_model_that_does_not_answer_is_told_once_with_a_hint(deed: str, said: str) -> None:
    with serving(deed) as url:
        ended = asked("llm", "check", "--llm", url)
        as_json = asked("llm", "check", "--llm", url, "--json")
    assert (ended.exit_code, as_json.exit_code) == (1, 1)
    assert said in ended.output
    assert ended.stderr.count("error:") <= 1
    assert "Traceback" not in ended.output
    assert "wxyz" not in ended.output + as_json.output


def test_without_a_model_it_is_said_how_to_choose_one() -> None:
    ended = asked("llm", "check", "--llm", "none")
    assert ended.exit_code == 2
    assert "No model is chosen" in ended.stderr
    assert "SEXTANT_LLM" in ended.stderr


def test_a_model_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    ended = sextant(tmp_path, "llm", "check", "--llm", "nobody:x")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "names no llm" in ended.stderr
