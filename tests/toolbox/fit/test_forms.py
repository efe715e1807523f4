"""A tool in three lengths, whatever its schema; and how many tokens a text is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sextant.toolbox.fit.forms import write_form
from sextant.toolbox.fit.levels import Forms, choose_forms
from sextant.toolbox.fit.tokens import count_tokens
from sextant.types import Detail, Tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "A long story about titles."},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["title"],
}
TOOL = Tool("gh.create", "create", description="Create an issue. More is said here.", schema=SCHEMA)


def test_the_full_form_has_everything() -> None:
    assert json.loads(write_form(TOOL, Detail.FULL)) == {
        "name": "gh.create",
        "description": TOOL.description,
        "inputSchema": SCHEMA,
    }


def test_the_trimmed_form_keeps_names_types_choices_and_what_is_required() -> None:
    own = json.loads(write_form(TOOL, Detail.TRIMMED))
    assert own["description"] == "Create an issue."
    assert own["inputSchema"]["properties"] == {
        "title": {"type": "string"},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "labels": {"type": "array", "items": {"type": "string"}},
    }
    assert own["inputSchema"]["required"] == ["title"]


def test_the_signature_is_one_line() -> None:
    line = write_form(TOOL, Detail.SIGNATURE)
    assert line == "gh.create(title: string, state?: string, labels?: array): Create an issue."


def test_a_schema_that_refers_to_itself_ends() -> None:
    node = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}}}
    schema = {"properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    own = json.loads(write_form(Tool("t", schema=schema), Detail.TRIMMED))
    assert own["inputSchema"]["properties"]["tree"]["properties"]["child"] == {"type": "object"}


def test_a_reference_to_nothing_is_nothing() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/gone"}, "b": {"$ref": "https://x.test/y"}}}
    own = json.loads(write_form(Tool("t", schema=schema), Detail.TRIMMED))
    assert own["inputSchema"]["properties"] == {"a": {}, "b": {}}


@pytest.mark.parametrize("schema", [{"properties": 3}, {"required": "x"}, {"anyOf": 1}, {}])
@pytest.mark.parametrize("detail", Detail)
def test_a_schema_that_is_none_does_no_harm(schema: dict[str, Any], detail: Detail) -> None:
    assert write_form(Tool("t", schema=schema), detail)


def test_of_a_huge_schema_little_is_left() -> None:
    names = {f"p{number}": {"type": "string", "description": "x" * 80} for number in range(9_000)}
    huge = Tool("huge", description="Huge.", schema={"type": "object", "properties": names})
    forms = Forms(huge)
    assert forms.at(Detail.FULL).tokens > 100_000
    assert forms.at(Detail.TRIMMED).tokens < 2_000
    assert forms.least < 150


def test_the_first_tools_are_shown_in_most_detail() -> None:
    forms = [Forms(TOOL), Forms(TOOL)]
    least, full = forms[0].least, forms[0].at(Detail.FULL).tokens
    chosen = choose_forms(forms, least + full)
    assert sum(one.tokens for one in chosen) <= least + full
    assert chosen[0].tokens >= chosen[1].tokens
    assert [one.detail for one in choose_forms(forms, None)] == [Detail.FULL] * 2


def test_tokens_are_those_of_current_models() -> None:
    assert count_tokens("hello world") == 2
    assert count_tokens("") == 0
    assert count_tokens("<|endoftext|>") > 1


def test_a_word_without_end_is_counted_in_parts() -> None:
    assert 100_000 / 10 <= count_tokens("a" * 100_000) <= 100_000 / 4
