"""The two servers that a pipeline works with where it runs alone, and the way to them."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from sextant.errors import ConfigError
from sextant.links.client import checked_address
from sextant.links.mcp_caller import McpCaller
from sextant.links.mcp_knowledge import McpKnowledge
from sextant.links.mcp_orchestration import McpEmbedder, McpOrchestrator
from sextant.links.tokens import Tokens, open_tokens
from sextant.settings import DEPENDENCIES, Settings
from sextant.settings.credentials import Credential, credential_for

_FORM = "Write https://host/mcp."


@dataclass(frozen=True, slots=True)
class Peers:
    """What holds the knowledge, and what has the models."""

    knowledge: McpKnowledge
    embedder: McpEmbedder
    orchestrator: McpOrchestrator
    opened: AsyncExitStack

    async def close(self) -> None:
        """Let go of both, and fetch no token any more."""
        await self.opened.aclose()


def open_peers(settings: Settings) -> Peers:
    """Find both servers in the settings; they are connected to when they are first asked."""
    remote, opened = settings.remote, AsyncExitStack()
    knowledge_at = _address("knowledge_store", remote.knowledge_store)
    orchestration_at = _address("llm_orchestration", remote.llm_orchestration)
    knowledge_tokens, orchestration_tokens = _tokens(settings, opened)
    knowledge = McpCaller("KnowledgeStore", knowledge_at, settings, knowledge_tokens)
    orchestration = McpCaller("LlmOrchestration", orchestration_at, settings, orchestration_tokens)
    opened.push_async_callback(knowledge.close)
    opened.push_async_callback(orchestration.close)
    return Peers(
        McpKnowledge(knowledge),
        McpEmbedder(orchestration),
        McpOrchestrator(orchestration),
        opened,
    )


def _tokens(settings: Settings, opened: AsyncExitStack) -> list[Tokens | None]:
    """Open the way to tokens for each server; who we are to both alike has its token fetched once.

    What is one server's alone is never sent to the other.
    """
    known: dict[Credential, Tokens | None] = {}
    for dependency in DEPENDENCIES:
        credential = credential_for(settings, dependency)
        if credential not in known:
            known[credential] = tokens = open_tokens(settings, dependency)
            if tokens:
                opened.push_async_callback(tokens.close)
    return [known[credential_for(settings, dependency)] for dependency in DEPENDENCIES]


def _address(name: str, address: str) -> str:
    if not address:
        raise ConfigError(
            f"remote.{name} is not set, and a pipeline that runs alone needs it.",
            f"Set SEXTANT_REMOTE_{name.upper()} to where that server answers. {_FORM}",
        )
    return checked_address(address, _FORM, f"remote.{name}")
