"""What is told of an operation beside its shapes. Knows no operation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sextant.serve.caller import Role


@dataclass(frozen=True, slots=True)
class OperationNote:
    """All the roles that an operation needs, and one way to call it; ``$…`` is to be filled in.

    To some, an administrator is let in as well.
    """

    roles: tuple[Role, ...]
    path: str
    body: Mapping[str, Any] | None = None
    form: tuple[str, ...] = ()
    to_file: bool = False
    or_admin: bool = False
