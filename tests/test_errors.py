"""Every error of the house says who it is for and what to do."""

import copy
import pickle

import pytest

from sextant import errors
from sextant.errors import SextantError, public_words


def tree(kind: type[SextantError]) -> list[type[SextantError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in tree(child))]


def test_every_error_has_a_code_of_its_own_and_is_drawn_in_the_docstring() -> None:
    kinds = tree(SextantError)
    codes = [kind.code for kind in kinds]
    assert len(set(codes)) == len(codes)
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("kind", tree(SextantError))
def test_an_error_is_whole_after_it_was_copied_or_sent(kind: type[SextantError]) -> None:
    error = kind("It happened.", "Do this.")
    error.add_note("Seen.")
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is kind
        assert str(again) == "It happened. Do this."
        assert vars(again) == vars(error)


@pytest.mark.parametrize("kind", tree(SextantError))
def test_no_error_can_be_made_without_a_hint(kind: type[SextantError]) -> None:
    with pytest.raises(TypeError, match="hint"):
        kind("It happened.")  # type: ignore[call-arg]


def test_an_error_reads_as_message_and_hint() -> None:
    error = errors.StoreFull("No room.", "Free some.")
    assert str(error) == "No room. Free some."
    assert (error.severity, error.visibility) == ("critical", "operator")


@pytest.mark.parametrize("kind", tree(SextantError))
def test_what_of_an_error_a_caller_is_not_told_is_in_the_log(
    kind: type[SextantError], caplog: pytest.LogCaptureFixture
) -> None:
    is_told = public_words(kind("It happened.", "Do this.")) == ("It happened.", "Do this.")
    logged = [line for line in caplog.messages if "It happened. Do this." in line]
    assert len(logged) == (0 if is_told else 1)
