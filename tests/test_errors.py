"""Every error of the house says who it is for and what to do."""

from sextant import errors
from sextant.errors import SextantError


def tree(kind: type[SextantError]) -> list[type[SextantError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in tree(child))]


def test_every_error_has_a_code_of_its_own_and_is_drawn_in_the_docstring() -> None:
    kinds = tree(SextantError)
    codes = [kind.code for kind in kinds]
    assert len(set(codes)) == len(codes)
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or "")


def test_an_error_reads_as_message_and_hint() -> None:
    error = errors.StoreFull("No room.", "Free some.")
    assert str(error) == "No room. Free some."
    assert (error.severity, error.visibility) == ("critical", "operator")
