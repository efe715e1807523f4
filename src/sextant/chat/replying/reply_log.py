"""What is logged of a model's reply in a run: who, how much and how long, never what was said."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from sextant.chat.context import RunContext
from sextant.types import Message, ModelIdentity, Prompt

_log = logging.getLogger(__name__)
_Fields = Mapping[str, str | int | float | bool]


@dataclass(slots=True)
class ReplyLog:
    """The log of one reply: a line when it is asked for, and one when it is there or failed."""

    context: RunContext
    identity: ModelIdentity
    prompt: Prompt
    pieces: int = 0
    began: float = field(default_factory=monotonic)

    def log_request(self) -> None:
        """Log what is asked of whom; the line's own time says when."""
        counts = {"messages": len(self.prompt.messages), "actions": len(self.prompt.tools)}
        self._log("llm_request", counts)

    def log_reply(self, reply: Message, *, is_final: bool) -> None:
        """Log a summary of a reply: final is one that came to its end, progressive in pieces."""
        self._log(
            "llm_response",
            {
                "final": is_final,
                "progressive": self.pieces > 1,
                "pieces": self.pieces,
                "characters": len(reply.text),
                "calls": len(reply.calls),
                "latencyMs": round(1000 * (monotonic() - self.began), 3),
            },
        )

    def _log(self, name: str, fields: _Fields) -> None:
        if _log.isEnabledFor(logging.INFO):
            about = {
                "provider": self.identity.provider,
                "model": self.identity.name,
                "threadId": self.context.thread_id,
                "runId": self.context.run_id,
            }
            _log.info(name, extra={"fields": {**about, **fields}})
