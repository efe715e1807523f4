"""A model that is configured and never speaks, for those who only want agents. Knows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sextant.errors import ConfigError, ModelError
from sextant.types import ModelIdentity

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sextant.ports import ChatModel
    from sextant.settings import Settings
    from sextant.types import Delta, Prompt

IDENTITY = ModelIdentity("empty", "")


def open_model(rest: str, settings: Settings) -> ChatModel:  # noqa: ARG001 - nothing can be set
    """Open the empty model; ``empty:`` takes nothing after the colon."""
    if rest:
        raise ConfigError(f"The llm empty: has no model {rest[:80]!r}.", 'Write "empty:".')
    return Empty()


class Empty:
    """Whoever asks it is told that there is nobody to ask."""

    @property
    def identity(self) -> ModelIdentity:
        """Nobody."""
        return IDENTITY

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:  # noqa: ARG002
        """Raise a ModelError that says what to set."""
        nothing: tuple[Delta, ...] = ()
        for delta in nothing:
            yield delta
        raise ModelError(
            "This instance has no language model; agents only.",
            "To have one, set SEXTANT_LLM, as in openai:MODEL.",
        )

    async def close(self) -> None:
        """Nothing is held open."""
