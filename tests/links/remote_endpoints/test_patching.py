"""JSON Patch on a state: what the examples of RFC 6902 say, and the inverse of how we write one."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from sextant.links.remote_endpoints.agui.patching import apply_patch
from sextant.serve.agui.patches import state_patch
from tests.serve.agui.test_patches import STATES

_OLD: Any = {"foo": ["bar", "baz"], "a/b": {"~": 1}, "n": None}


@pytest.mark.parametrize(
    ("operation", "new"),
    [
        ({"op": "add", "path": "/foo/1", "value": "qux"}, {"foo": ["bar", "qux", "baz"]}),
        ({"op": "add", "path": "/foo/-", "value": "qux"}, {"foo": ["bar", "baz", "qux"]}),
        ({"op": "remove", "path": "/foo/0"}, {"foo": ["baz"]}),
        ({"op": "replace", "path": "/a~1b/~0", "value": 2}, {"a/b": {"~": 2}}),
        ({"op": "move", "from": "/foo/0", "path": "/foo/1"}, {"foo": ["baz", "bar"]}),
        ({"op": "copy", "from": "/foo", "path": "/n"}, {"n": ["bar", "baz"]}),
        ({"op": "test", "path": "/n", "value": None}, {}),
    ],
)
def test_each_operation_does_what_the_standard_says(
    operation: dict[str, Any], new: dict[str, Any]
) -> None:
    before = copy.deepcopy(_OLD)
    assert apply_patch(_OLD, [operation]) == _OLD | new
    assert before == _OLD


def test_a_state_that_copies_make_too_large_is_an_error() -> None:
    doubled = [{"op": "copy", "from": "", "path": f"/{number}"} for number in range(30)]
    with pytest.raises(ValueError, match="copies"):
        apply_patch(_OLD, doubled)
    with pytest.raises(ValueError, match="copies"):
        apply_patch(_OLD, [{"op": "copy", "from": "/n", "path": "/n"}] * 101)


def test_a_whole_state_is_replaced() -> None:
    assert apply_patch(_OLD, [{"op": "replace", "path": "", "value": {"x": 1}}]) == {"x": 1}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/ghost"},
        {"op": "replace", "path": "/ghost", "value": 1},
        {"op": "add", "path": "/foo/3", "value": 1},
        {"op": "add", "path": "/foo/-1", "value": 1},
        {"op": "remove", "path": "/foo/-"},
        {"op": "add", "path": "/n/x", "value": 1},
        {"op": "add", "path": "foo", "value": 1},
        {"op": "test", "path": "/foo/0", "value": "baz"},
        {"op": "rotate", "path": "/foo"},
        {"op": "add", "path": "/foo"},
    ],
)
def test_what_cannot_be_done_is_an_error(operation: dict[str, Any]) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        apply_patch(_OLD, [operation])


@given(STATES, STATES)
def test_it_undoes_nothing_of_what_we_write(old: dict[str, Any], new: dict[str, Any]) -> None:
    patch = state_patch(old, new)
    assert patch is not None
    assert apply_patch(old, patch) == new
