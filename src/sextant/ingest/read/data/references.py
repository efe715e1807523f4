"""Backstage's short references: `kind:namespace/name`, of which only the name must be there."""

from __future__ import annotations

from dataclasses import dataclass

_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Reference:
    """One entity of a catalogue; kinds, namespaces and names count without case."""

    kind: str
    namespace: str
    name: str

    @property
    def id(self) -> str:
        """The id of the entity that is meant."""
        return f"{self.kind}:{self.namespace}/{self.name}".lower()


def parse_reference(text: str, kind: str, namespace: str = _NAMESPACE) -> Reference | None:
    """Complete a reference with the kind and the namespace that its place implies."""
    head, colon, rest = text.strip().partition(":")
    if not colon:
        head, rest = kind, head
    space, slash, name = rest.partition("/")
    if not slash:
        space, name = namespace, space
    if not (head and space and name) or any(part.isspace() for part in text.strip()):
        return None
    return Reference(head.strip(), space.strip(), name.strip())
