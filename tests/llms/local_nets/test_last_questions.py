from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sextant.llms.local_nets.last_questions import LastQuestions


def rows(*firsts: int) -> NDArray[np.float32]:
    return np.array([[first, 0] for first in firsts], np.float32)


def test_only_the_last_questions_are_remembered() -> None:
    last = LastQuestions(2)
    last.remember(["one", "two", "three"], rows(1, 2, 3))
    assert [last.vector(text) is None for text in ("one", "two", "three")] == [True, False, False]


def test_a_question_that_is_asked_again_is_remembered_for_longer() -> None:
    last = LastQuestions(2)
    last.remember(["one", "two"], rows(1, 2))
    assert last.vector("one") is not None
    last.remember(["three"], rows(3))
    assert last.vector("two") is None
    assert last.vector("one") is not None


def test_what_a_caller_does_to_its_vectors_changes_none_that_is_remembered() -> None:
    last, own = LastQuestions(), rows(1)
    last.remember(["one"], own)
    own[:] = 7
    found = last.vector("one")
    assert found is not None
    assert found.tolist() == [1, 0]


def test_a_question_may_have_half_of_a_surrogate_pair() -> None:
    last = LastQuestions()
    last.remember(["\ud800"], rows(1))
    assert last.vector("\ud800") is not None
    assert last.vector("\udfff") is None


def test_threads_that_ask_at_once_get_the_vectors_of_their_own_questions() -> None:
    last = LastQuestions(8)

    def ask(number: int) -> bool:
        last.remember([str(number)], rows(number))
        found = last.vector(str(number))
        return found is None or bool(found[0] == number)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(2_000)))
