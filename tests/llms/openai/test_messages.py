"""From a prompt to a request."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ModelRejected
from sextant.llms.openai.messages import is_closed, message, request, schema_name
from sextant.llms.openai.peer import LIMIT, OLD_LIMIT, Wording
from sextant.testing.chat_model_suite import prompts as asked
from sextant.types import Image, Message, Prompt, Schema, Speaker

OWN = Wording()
FOREIGN = Wording(limit=OLD_LIMIT, developer=False, strict=False)
CLOSED = asked.COLOUR.schema.schema if asked.COLOUR.schema else {}


def test_what_is_left_to_the_provider_is_not_sent() -> None:
    sent = request(Prompt((Message(Speaker.USER, "Hi"),)), "m", OWN)
    assert sent == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_bounds_are_sent_in_the_words_that_the_server_knows() -> None:
    prompt = replace(asked.HELLO, temperature=0.0, max_tokens=9, stop=("x", "y"))
    own, foreign = request(prompt, "m", OWN), request(prompt, "m", FOREIGN)
    assert own[LIMIT] == foreign[OLD_LIMIT] == 9
    assert LIMIT not in foreign
    assert OLD_LIMIT not in own
    assert own["temperature"] == 0.0
    assert own["stop"] == ["x", "y"]


def test_what_a_server_refused_is_not_sent_again() -> None:
    sent = request(asked.HELLO, "m", Wording(temperature=False, usage=False))
    assert "temperature" not in sent
    assert "stream_options" not in sent


@pytest.mark.parametrize(
    ("speaker", "own", "foreign"),
    [
        (Speaker.SYSTEM, "system", "system"),
        (Speaker.DEVELOPER, "developer", "system"),
        (Speaker.USER, "user", "user"),
        (Speaker.ASSISTANT, "assistant", "assistant"),
    ],
)
def test_everybody_speaks_in_a_role_that_the_server_knows(
    speaker: Speaker, own: str, foreign: str
) -> None:
    said = Message(speaker, "Hi")
    assert message(said, OWN) == {"role": own, "content": "Hi"}
    assert message(said, FOREIGN) == {"role": foreign, "content": "Hi"}


def test_calls_and_their_results_name_each_other() -> None:
    _, calling, weather, clock = request(asked.WEATHER_TOLD, "m", OWN)["messages"]
    assert calling["content"] is None
    assert [call["id"] for call in calling["tool_calls"]] == ["call_1", "call_2"]
    assert calling["tool_calls"][0]["function"]["arguments"] == '{"city": "Oslo"}'
    assert (weather["role"], weather["tool_call_id"]) == ("tool", "call_1")
    assert (clock["role"], clock["tool_call_id"]) == ("tool", "call_2")


def test_image_is_sent_as_it_is_or_by_its_address() -> None:
    images = (Image("image/png", b"\x01\x02"), Image(url="https://pictures.example/1.png"))
    parts = message(Message(Speaker.USER, "Look", images), OWN)["content"]
    urls = [part["image_url"]["url"] for part in parts[1:]]
    assert parts[0] == {"type": "text", "text": "Look"}
    assert urls == ["data:image/png;base64,AQI=", "https://pictures.example/1.png"]


def test_only_a_user_shows_images() -> None:
    with pytest.raises(ModelRejected, match="only a user's"):
        message(Message(Speaker.TOOL, "Here", (Image(url="https://a.example"),)), OWN)


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("clock", {"type": "function", "function": {"name": "clock"}}),
    ],
)
def test_tool_choice_is_a_word_or_the_name_of_a_tool(choice: str, sent: Any) -> None:
    whole = request(replace(asked.WEATHER, tool_choice=choice), "m", OWN)
    assert whole["tool_choice"] == sent
    assert [one["function"]["name"] for one in whole["tools"]] == ["weather", "clock"]


def test_schema_is_strict_where_server_and_schema_allow_it() -> None:
    open_schema = replace(asked.COLOUR, schema=Schema("open", {"type": "object"}))
    assert request(asked.COLOUR, "m", OWN)["response_format"]["json_schema"]["strict"] is True
    assert request(open_schema, "m", OWN)["response_format"]["json_schema"]["strict"] is False
    assert "strict" not in request(asked.COLOUR, "m", FOREIGN)["response_format"]["json_schema"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": ["object", "null"]},
        {**CLOSED, "required": []},
        {**CLOSED, "additionalProperties": True},
        {"type": "array", "items": {"type": "object", "properties": {}}},
        {**CLOSED, "$defs": {"inner": {"type": "object"}}},
        {"anyOf": [{"type": "string"}, {"type": "object"}]},
    ],
)
def test_one_open_object_makes_a_schema_open(schema: Any) -> None:
    assert not is_closed(schema)
    assert not is_closed({**CLOSED, "properties": {"colour": schema}})


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.text(max_size=5), inner, max_size=3).map(
        lambda properties: {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


def _lists(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return inner.map(lambda items: {"type": "array", "items": items})


@given(st.recursive(st.just({"type": "string"}), lambda inner: _objects(inner) | _lists(inner)))
def test_schema_whose_objects_are_all_closed_is_closed(schema: Any) -> None:
    assert is_closed(schema)


@given(st.text())
def test_name_of_a_schema_has_the_letters_that_are_allowed(name: str) -> None:
    sent = schema_name(Schema(name, {}))
    assert 1 <= len(sent) <= 64
    assert sent.isascii()
    assert sent.replace("_", "").replace("-", "").isalnum() or set(sent) <= {"_", "-"}


@given(st.lists(st.text(alphabet=st.characters(codec=None))))
def test_any_text_can_be_sent(texts: list[str]) -> None:
    messages = tuple(Message(Speaker.USER, text) for text in texts)
    json.dumps(request(Prompt(messages), "m", OWN), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "refused", ["temperature", LIMIT, "stream_options", "response_format", "messages[0].role"]
)
def test_what_is_refused_is_said_in_another_way_once(refused: str) -> None:
    other = OWN.without(refused)
    assert other
    assert other != OWN
    assert other.without(refused) is None


def test_what_cannot_be_left_out_is_not() -> None:
    assert OWN.without("messages") is None
    assert OWN.without("") is None
