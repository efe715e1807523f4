"""The log of a server: what a line holds, and what it never does."""

from __future__ import annotations

import json
import logging
from contextvars import Context

import pytest

from sextant.prompting.secrets.redact import remember
from sextant.serve.records.logs import log_request, log_tenant, writing_log
from sextant.settings import LogSettings

LOG = logging.getLogger("sextant.serve.test")
SECRET = "a-secret-that-was-read-0123456789"


def written(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_json_line_names_the_request_and_its_tenant(capsys: pytest.CaptureFixture[str]) -> None:
    def speak() -> None:
        with log_request("r-1"):
            log_tenant("r-1", "acme")
            LOG.info("Half of %s is done.\nAnd more.", "it")
        LOG.info("Nobody's.")

    with writing_log(LogSettings("info", "json")):
        Context().run(speak)  # whatever was visited before, nobody's request is under way
    first, second = map(json.loads, written(capsys))
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "info",
        "message": "Half of it is done.\nAnd more.",
        "logger": "sextant.serve.test",
        "requestId": "r-1",
        "tenant": "acme",
    }
    assert "requestId" not in second


def test_a_text_line_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with writing_log(LogSettings("info")), log_request("r-1"):
        log_tenant("r-1", "acme")
        LOG.warning("Something is odd.")
    (line,) = written(capsys)
    assert line.endswith(" WARNING Something is odd. requestId=r-1 tenant=acme")


def test_a_request_that_another_task_began_is_named_by_its_own_id(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with writing_log(LogSettings("info")), log_request("r-1"):
        log_tenant("r-2", "other")
        LOG.info("Here.")
    (line,) = written(capsys)
    assert line.endswith("requestId=r-2 tenant=other")


@pytest.mark.parametrize("shape", ["text", "json"])
def test_secrets_are_hidden_in_messages_and_in_failures(
    capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    remember(SECRET)
    with writing_log(LogSettings("info", shape)):
        LOG.error("It is %s.", SECRET)
        LOG.error("It failed.", exc_info=ValueError(SECRET))
    told = "\n".join(written(capsys))
    assert SECRET not in told
    assert "ValueError: [hidden]" in told


@pytest.mark.parametrize(
    ("level", "heard"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)]
)
def test_the_level_says_from_which_on_lines_are_told(
    capsys: pytest.CaptureFixture[str], level: str, heard: int
) -> None:
    with writing_log(LogSettings(level)):
        for each in (LOG.debug, LOG.info, LOG.warning, LOG.error):
            each("Told.")
        logging.getLogger("another.package").info("Never told.")
    assert len(written(capsys)) == heard


def test_afterwards_nothing_is_written_any_more(capsys: pytest.CaptureFixture[str]) -> None:
    before = list(logging.getLogger().handlers)
    with writing_log(LogSettings("debug", "json")):
        pass
    assert logging.getLogger().handlers == before
    assert written(capsys) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_text_among_the_fields_is_one_line_without_secrets(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(SECRET)
    with writing_log(LogSettings("info", form)):
        LOG.info("run", extra={"fields": {"threadId": f"t\nERROR forged {SECRET}", "calls": 2}})
    (line,) = written(capsys)
    assert "t ERROR forged" in line
    assert SECRET not in line
    assert "calls" in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_id_behind_a_message_about_a_token_is_none(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own, key = "0123456789abcdef0123456789abcdef", "fedcba98765432100123456789abcdef"
    with writing_log(LogSettings("info", form)), log_request(own):
        log_tenant(own, "acme")
        LOG.warning("Set LAB_TOKEN to a token for it.", extra={"fields": {"runId": own[::-1]}})
        LOG.warning("The token is %s", key, extra={"fields": {"token": f"Bearer {key}"}})
    first, second = written(capsys)
    assert "a token for it." in first
    assert own in first
    assert own[::-1] in first
    assert key not in second


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_that_a_client_sends_as_its_id_is_hidden(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(SECRET)
    with writing_log(LogSettings("info", form)), log_request(f"r-{SECRET}"):
        LOG.info("Here.")
    (line,) = written(capsys)
    assert SECRET not in line
