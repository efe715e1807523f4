import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ConfigError
from sextant.llms.wire import arguments_of, as_utf8, model_named, orders
from sextant.types import Message, Speaker, ToolCall


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_sent(text: str) -> None:
    sent = as_utf8(text).encode()
    assert sent.decode() == text or any("\ud800" <= letter <= "\udfff" for letter in text)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        ("", {}),
        ("[1]", {"arguments": [1]}),
        ("{half", {"arguments": "{half"}),
        ('{"much": 1e999}', {"arguments": '{"much": 1e999}'}),
        ('{"what": NaN}', {"arguments": '{"what": NaN}'}),
        ('{"half": "\\ud800"}', {"half": "?"}),
        ("[" * 100_000, {"arguments": "[" * 100_000}),
    ],
)
def test_arguments_are_an_object(written: str, read: object) -> None:
    assert arguments_of(ToolCall("a", "weather", written)) == read


@given(st.text(st.characters(codec=None)))
def test_arguments_of_any_text_can_be_sent(text: str) -> None:
    read = arguments_of(ToolCall("a", "weather", text))
    assert json.dumps(read, ensure_ascii=False, allow_nan=False).encode()


def test_orders_are_those_of_the_system_and_the_developer() -> None:
    messages = [Message(speaker, speaker.value) for speaker in Speaker]
    assert orders(messages) == "system\n\ndeveloper"


def test_model_has_to_be_named() -> None:
    assert model_named(" claude ", "anthropic") == "claude"
    with pytest.raises(ConfigError, match="anthropic:MODEL"):
        model_named(" ", "anthropic")
