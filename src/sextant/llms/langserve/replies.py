"""What a LangServe runnable sends, as pieces of a reply. Knows the pieces' shapes, no connection.

A piece is a text, a message or a part of one (its text is in ``content``), or a dictionary of a
chain, of which only the entries that are known to hold the answer count.
"""

from __future__ import annotations

from typing import Any

from sextant.errors import ModelRejected
from sextant.types import Ended, Reason, Usage

_HOLDING = ("content", "output", "answer", "text")
_REASONS = {
    "length": Reason.LENGTH,
    "max_tokens": Reason.LENGTH,
    "MAX_TOKENS": Reason.LENGTH,
    "content_filter": Reason.REFUSED,
    "refusal": Reason.REFUSED,
    "SAFETY": Reason.REFUSED,
}


class Reading:
    """Takes pieces and gives their text, up to a stop word; remembers what was said about them."""

    def __init__(self, model: str, stop: tuple[str, ...]) -> None:
        self._model, self._stop = model, tuple(one for one in stop if one)
        self._held = ""
        self._usage, self._reason = Usage(), Reason.STOP
        self._is_empty, self._is_strange = True, False
        self.is_stopped = False

    def take(self, piece: Any) -> str:
        """Return the text that can be told by now; what may begin a stop word is held back."""
        self._note(piece)
        text = _text(piece)
        if text is None:
            self._is_strange = True
            return ""
        self._is_empty = self._is_empty and not text
        self._held += text
        return self._release(self._longest_beginning())

    def rest(self) -> str:
        """Return what was held back."""
        if self._is_empty and self._is_strange:
            raise ModelRejected(
                "What the LangServe runnable gives is neither text nor a message.",
                "Let it end in a model or in an output parser for texts.",
            )
        return self._release(0)

    def ended(self) -> Ended:
        """Return the end of the reply."""
        return Ended(self._reason, self._usage, self._model)

    def _release(self, held: int) -> str:
        if self.is_stopped:
            return ""
        found = [at for one in self._stop if (at := self._held.find(one)) >= 0]
        self.is_stopped = bool(found)
        end = min(found, default=len(self._held) - held)
        told, self._held = self._held[:end], self._held[end:]
        return told

    def _longest_beginning(self) -> int:
        """Return how many of the last characters may be the beginning of a stop word."""
        lengths = (
            length
            for one in self._stop
            for length in range(1, len(one))
            if self._held.endswith(one[:length])
        )
        return max(lengths, default=0)

    def _note(self, piece: Any) -> None:
        if not isinstance(piece, dict):
            return
        about = piece.get("response_metadata")
        if isinstance(about, dict):
            self._model = str(about.get("model_name") or about.get("model") or self._model)
            said = about.get("finish_reason") or about.get("stop_reason")
            self._reason = _REASONS.get(str(said), self._reason)
        if isinstance(piece.get("usage_metadata"), dict):
            self._usage += _usage(piece["usage_metadata"])


def _text(piece: Any) -> str | None:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, list):
        texts = [text for one in piece if (text := _text(one)) is not None]
        return "".join(texts) if texts or not piece else None
    if isinstance(piece, dict):
        return next((_text(piece[name]) for name in _HOLDING if name in piece), None)
    return None


def _usage(counts: dict[str, Any]) -> Usage:
    details = counts.get("input_token_details")
    cached = details.get("cache_read") if isinstance(details, dict) else 0
    return Usage(
        _count(counts.get("input_tokens")), _count(counts.get("output_tokens")), _count(cached)
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
