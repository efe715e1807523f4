"""Changes of a state: applied as RFC 6902 says, they make the new state of the old one."""

from __future__ import annotations

import copy
import json
from typing import Any

from ag_ui.core import StateDeltaEvent
from hypothesis import given
from hypothesis import strategies as st

from sextant.serve.agui.patches import state_patch
from tests.serve.agui.patching import applied


def _without_sign(number: float) -> float:
    """Return a number that is not minus nought, which equals nought and is written otherwise."""
    return number + 0.0


NAMES = st.sampled_from(["a", "b", "", "/", "~", "~1", "0", "a/b", "ü"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2).map(_without_sign)
    | st.text(max_size=3)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
STATES = st.dictionaries(NAMES, VALUES, max_size=4)


@given(STATES, STATES)
def test_a_patch_makes_the_new_state_of_the_old_one(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    patch = state_patch(old, new)
    assert patch is not None
    assert json.dumps(applied(old, patch), sort_keys=True) == json.dumps(new, sort_keys=True)
    StateDeltaEvent.model_validate({"type": "STATE_DELTA", "delta": patch})


@given(STATES)
def test_a_state_that_is_the_same_needs_no_patch(state: dict[str, Any]) -> None:
    assert state_patch(state, copy.deepcopy(state)) == []


def test_a_path_that_clients_do_not_touch_has_no_patch() -> None:
    assert state_patch({}, {"__proto__": 1}) is None
    assert state_patch({"constructor": {}}, {"constructor": {"prototype": 1}}) is None
    assert state_patch({}, {"x__proto__": 1}) == [{"op": "add", "path": "/x__proto__", "value": 1}]
