"""What may be asked, and what is refused before anybody looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sextant.ask.question import Question, check_question
from sextant.errors import InvalidInput, InvalidVector, TooLarge
from sextant.limits import DEFAULT


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"candidates": -1}, InvalidInput),
        ({"candidates": 10_001}, TooLarge),
        ({"candidates": "5"}, InvalidInput),
        ({"conversation": "c" * 1_001}, TooLarge),
        ({"conversation": 5}, InvalidInput),
        ({"locale": "no locale"}, InvalidInput),
        ({"history": ("a",)}, InvalidInput),
        ({"history": "a"}, InvalidInput),
        ({"history": 5}, InvalidInput),
        ({"budget": 5}, InvalidInput),
        ({"budget": None}, InvalidInput),
        ({"vector": np.zeros(4)}, InvalidVector),
        ({"vector": np.ones(5)}, InvalidVector),
        ({"vector": np.float32(1)}, InvalidVector),
        ({"vector": np.full(4, np.nan)}, InvalidVector),
        ({"vector": np.ones((1, 4))}, InvalidVector),
        ({"vector": ["a", "b", "c", "d"]}, InvalidVector),
    ],
)
def test_what_cannot_be_asked_is_refused(more: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        check_question(Question("Why?", **more), DEFAULT, 4)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"candidates": 10_000, "conversation": "19:meeting_x@thread.v2", "locale": "zh-Hant-TW"},
        {"vector": np.ones(4, np.float32)},
    ],
)
def test_what_can_be_asked_is_taken(more: dict[str, Any]) -> None:
    check_question(Question("Why?", **more), DEFAULT, 4)
    check_question(Question("Why?", **more), DEFAULT)


def test_two_questions_are_the_same_whatever_their_vectors() -> None:
    one = Question("Why?", vector=np.ones(4, np.float32))
    assert one == Question("Why?")
    assert hash(one) == hash(Question("Why?"))
