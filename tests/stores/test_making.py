"""What a maker makes is what the class itself would have made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any

import pytest

from sextant.stores.making import maker
from sextant.types import Chunk, Document, Link, Match, Passage, Relation


@pytest.mark.parametrize("kind", [Chunk, Document, Link, Match, Passage, Relation])
def test_a_made_value_is_one_of_the_class(kind: Any) -> None:
    values = [f"value {number}" for number in range(len(fields(kind)))]
    made, usual = maker(kind)(*values), kind(*values)
    assert type(made) is kind
    assert (made, repr(made), hash(made)) == (usual, repr(usual), hash(usual))


def test_what_is_left_out_is_as_the_class_has_it() -> None:
    make = maker(Document)
    one, other = make("a", title="A"), make("b")
    assert one == Document("a", title="A")
    assert one.metadata is not other.metadata


def test_a_made_value_cannot_be_changed() -> None:
    link = maker(Link)(Relation("a", "b", "KNOWS"), 1)
    with pytest.raises(FrozenInstanceError):
        link.hop = 2  # type: ignore[misc]


def test_a_class_that_cannot_be_made_this_way_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="layout differs"):
        maker(Loose)
    with pytest.raises(TypeError, match="way of its own"):
        maker(Checked)


@dataclass(frozen=True)
class Loose:
    """Has no slots."""

    number: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Looks at what it is made of."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(self.number)
