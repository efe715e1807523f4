"""Servers of others that have tools: what they list, and calls of it. Knows no protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ToolServer(Protocol):
    """Tools that somebody else runs. Every error names the server; none tells a credential.

    Tools and results are as the Model Context Protocol has them, which other protocols translate
    to. A server is asked with the credential that is set for it, and never with a caller's token.
    """

    @property
    def name(self) -> str:
        """How the server is called here."""

    @property
    def changes(self) -> int:
        """How often the server has said, since it was opened, that its list is another one."""

    async def tools(self) -> Sequence[Mapping[str, Any]]:
        """Return all tools that the server lists now, or raise a PeerError: never a part of it."""

    async def call(
        self, tool: str, arguments: Mapping[str, Any], seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """Return the result of a call, within these seconds or the usual ones.

        That the tool failed stands in the result, as ``isError``; that nobody could be asked is a
        PeerError.
        """

    async def close(self) -> None:
        """Let go of the server; one that was started here is ended."""
