"""JSON that obeys a schema, at once or once told what was wrong, or an error that says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import InvalidReply, ModelRefused, ModelTimeout
from sextant.prompting.structured import structured
from sextant.testing.scripted import Scripted
from sextant.types import Ended, Message, Prompt, Reason, Reply, Schema, Speaker, Usage
from tests.prompting.timeless import run

SCHEMA = Schema(
    "plan",
    {
        "type": "object",
        "properties": {
            "queries": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
            "sure": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["queries"],
        "additionalProperties": False,
    },
)
ASKED = Prompt((Message(Speaker.USER, "Plan."),), schema=SCHEMA)
GOOD = '{"queries": ["who owns it"], "sure": 0.5}'


def scripted(*replies: str | Reply) -> Scripted:
    left = list(replies)
    return Scripted(lambda _: left.pop(0) if len(left) > 1 else left[0])


@pytest.mark.parametrize(
    "wrap",
    [
        str,
        "```json\n{}\n```".format,
        "\n```\n{}```\n".format,
        " {} \n".format,
        "```JSON\n{}\n```".format,
    ],
)
def test_json_is_taken_bare_or_fenced(wrap: Callable[[str], str]) -> None:
    found = run(structured(scripted(wrap(GOOD)), ASKED))
    assert found.value == json.loads(GOOD)
    assert found.repairs == 0


WRONG = {
    "": "it is no JSON.",
    "I cannot say.": "it is no JSON.",
    GOOD[:-4]: "it is no JSON.",
    f"Sure! {GOOD}": "it is no JSON.",
    f"{GOOD} {GOOD}": "it is no JSON.",
    '{"queries": [], "sure": NaN}': "it is no JSON.",
    '{"queries": [], "sure": Infinity}': "it is no JSON.",
    '{"queries": [], "sure": 1e999}': "it is no JSON.",
    '{"queries": ["\\ud800"]}': "it is no JSON.",
    "[" * 100_000: "it is no JSON.",
    '{"queries": ' + "[" * 900 + "]" * 900 + "}": "at ['queries'][0]",
    "null": "at the top",
    "[]": "at the top",
    '{"queries": "who"}': "at ['queries']",
    '{"queries": ["a", "b", "c", "d"]}': "at ['queries']",
    '{"queries": [], "sure": 7}': "at ['sure']",
    '{"queries": [], "more": 1}': "at the top",
    "{}": "'queries' is a required property",
}


@pytest.mark.parametrize(("reply", "wrong"), WRONG.items(), ids=[one[:20] for one in WRONG])
def test_what_is_wrong_is_said_once_more_and_then_told(reply: str, wrong: str) -> None:
    model = scripted(reply)
    with pytest.raises(InvalidReply) as raised:
        run(structured(model, ASKED))
    assert wrong in raised.value.message
    assert len(raised.value.message) < 400
    first, second = model.prompts
    assert first == ASKED
    shown, told = second.messages[1:]
    assert (shown.speaker, told.speaker) == (Speaker.ASSISTANT, Speaker.USER)
    assert 0 < len(shown.text) <= 2_000
    assert wrong in told.text
    assert second.schema == SCHEMA


def test_a_repair_is_counted_with_all_it_took() -> None:
    def reply(text: str) -> Reply:
        return Reply(text, ended=Ended(usage=Usage(10, 5), model="m-1", retries=1))

    found = run(structured(scripted(reply("no"), reply(GOOD)), ASKED))
    assert (found.repairs, found.retries, found.usage) == (1, 2, Usage(20, 10))
    assert (found.model, found.value) == ("m-1", json.loads(GOOD))


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_it_is_asked_for_as_often_as_is_allowed(repairs: int) -> None:
    model = scripted("no")
    with pytest.raises(InvalidReply):
        run(structured(model, ASKED, repairs))
    assert len(model.prompts) == repairs + 1


def test_a_reply_that_was_cut_off_is_wrong_even_if_it_is_json() -> None:
    cut = Reply(GOOD, ended=Ended(Reason.LENGTH))
    with pytest.raises(InvalidReply, match="cut off"):
        run(structured(scripted(cut), ASKED))


def test_a_model_that_declines_is_not_asked_again() -> None:
    model = scripted(Reply("No.", ended=Ended(Reason.REFUSED)), GOOD)
    with pytest.raises(ModelRefused):
        run(structured(model, ASKED))
    assert len(model.prompts) == 1


def test_a_model_that_fails_is_not_repaired() -> None:
    model = Scripted(lambda _: ModelTimeout("Late.", "Try again."))
    with pytest.raises(ModelTimeout):
        run(structured(model, ASKED))
    assert len(model.prompts) == 1


def test_a_value_that_is_no_object_is_not_taken_whatever_the_schema_allows() -> None:
    anything = replace(ASKED, schema=Schema("any", {}))
    for text in ("null", "[]", "7", '"text"'):
        with pytest.raises(InvalidReply, match="no JSON object"):
            run(structured(scripted(text), anything))


def test_a_value_that_is_too_deep_for_a_schema_that_is_deep_is_wrong() -> None:
    schema = Schema("nest", {"type": "object", "additionalProperties": {"$ref": "#"}})
    deep = '{"a": ' * 900 + "{}" + "}" * 900
    with pytest.raises(InvalidReply):
        run(structured(scripted(deep), replace(ASKED, schema=schema)))


def test_a_structured_reply_needs_a_schema() -> None:
    with pytest.raises(ValueError, match="schema"):
        run(structured(scripted(GOOD), replace(ASKED, schema=None)))


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSONS | st.fixed_dictionaries({"queries": st.lists(st.text(), max_size=4)}))
def test_what_is_returned_always_obeys(value: Any) -> None:
    try:
        found = run(structured(scripted(json.dumps(value)), ASKED)).value
    except InvalidReply:
        return
    assert found == value
    assert found.keys() <= {"queries", "sure"}
    assert isinstance(found["queries"], list)
    assert len(found["queries"]) <= 3


@given(st.text(max_size=200))
def test_no_text_whatever_breaks_it(text: str) -> None:
    with pytest.raises(InvalidReply):
        run(structured(scripted(text), ASKED))
