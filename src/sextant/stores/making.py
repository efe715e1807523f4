"""Values that are made by the hundred: what a frozen dataclass is, at a third of what it costs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def maker(kind: Callable[P, T]) -> Callable[P, T]:
    """Return what makes the values of a frozen dataclass with slots, called as the class is.

    A frozen class sets every field past a guard of its own. A twin that has the same slots and no
    guard sets them plainly, and then becomes one of the frozen class.
    """

    def become(self: Any) -> None:
        self.__class__ = kind

    own = [(one.name, one.type, copy(one)) for one in fields(cast(Any, kind))]
    namespace = {"__post_init__": become}
    twin = make_dataclass("Twin", own, slots=True, eq=False, repr=False, namespace=namespace)
    return cast(Callable[P, T], twin)
