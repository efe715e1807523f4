"""Every requirement that is listed has a test, and every test names one that is listed."""

from __future__ import annotations

import pytest

from tests.seeds.requirement import checked, left_out, listed, seeds


@pytest.mark.parametrize("seed", seeds())
def test_every_listed_requirement_has_a_test(seed: str) -> None:
    assert not listed(seed).keys() - checked()


def test_no_test_names_a_requirement_that_is_not_listed() -> None:
    assert not checked() - {one for seed in seeds() for one in listed(seed)}


@pytest.mark.parametrize("seed", seeds())
def test_requirements_are_numbered_without_gaps_and_each_stands_once(seed: str) -> None:
    both = [*listed(seed), *left_out(seed)]
    assert sorted(both) == [f"{seed}-{number:03}" for number in range(1, len(both) + 1)]


@pytest.mark.parametrize("seed", seeds())
def test_what_is_left_out_has_a_reason(seed: str) -> None:
    assert all(" — " in one for one in left_out(seed).values())
