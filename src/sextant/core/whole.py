"""The scope in which the core itself looks at a tenant. Knows no store."""

from __future__ import annotations

from dataclasses import replace

from sextant.types import OPERATOR, Scope


def whole(scope: Scope) -> Scope:
    """Return the scope without persona rules: all that its tenant has is there."""
    return replace(scope, roles=scope.roles | {OPERATOR})
