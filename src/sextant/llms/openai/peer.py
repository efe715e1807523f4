"""Whom we talk to in the protocol of OpenAI, and how they want it worded. Knows no SDK."""

from __future__ import annotations

from dataclasses import dataclass, replace

LIMIT, OLD_LIMIT = "max_completion_tokens", "max_tokens"


@dataclass(frozen=True, slots=True)
class Wording:
    """What a server takes of a request: newer models refuse some of it, other servers know less."""

    limit: str = LIMIT
    developer: bool = True
    strict: bool = True
    temperature: bool = True
    usage: bool = True

    def without(self, refused: str) -> Wording | None:
        """Return how to say it without what was refused, or None where it cannot be left out."""
        if refused == self.limit:
            return replace(self, limit=OLD_LIMIT if refused == LIMIT else LIMIT)
        if refused == "temperature" and self.temperature:
            return replace(self, temperature=False)
        if refused == "stream_options" and self.usage:
            return replace(self, usage=False)
        if refused == "response_format" and self.strict:
            return replace(self, strict=False)
        if refused.endswith(".role") and self.developer:
            return replace(self, developer=False)
        return None


@dataclass(frozen=True, slots=True)
class Peer:
    """A server as errors speak of it, and how it wants to be spoken to at first."""

    name: str
    key: str
    model: str
    wording: Wording = Wording()


def openai(model: str) -> Peer:
    """Return the provider that the protocol is named after."""
    return Peer("OpenAI", "OPENAI_API_KEY", model)


def azure(deployment: str) -> Peer:
    """Return its twin on Azure, whose stable version takes the older words."""
    wording = Wording(limit=OLD_LIMIT, developer=False)
    return Peer("Azure OpenAI", "AZURE_OPENAI_API_KEY", deployment, wording)


def foreign(where: str, model: str, key: str) -> Peer:
    """Return any other server: it gets what all of them understand."""
    return Peer(where, key, model, Wording(limit=OLD_LIMIT, developer=False, strict=False))
