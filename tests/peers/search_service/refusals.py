"""What the service says when it refuses: a status, and a body with a code and a message."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Refusal(Exception):
    """A refusal as it goes over the wire."""

    status: int
    message: str
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        """The error as JSON."""
        return {"error": {"code": self.code, "message": self.message}}


def invalid(message: str, code: str = "InvalidRequestParameter") -> Refusal:
    """The request cannot be taken."""
    return Refusal(400, message, code)


def no_property(name: str) -> Refusal:
    """A field is named that the index does not have."""
    return invalid(
        f"Invalid expression: Could not find a property named '{name}' on type "
        "'search.document'.\r\nParameter name: $filter"
    )


def no_index(name: str) -> Refusal:
    """There is no index of that name."""
    return Refusal(404, f"The index '{name}' for service 'loopback' was not found.", "NotFound")
