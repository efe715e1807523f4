"""When to leave somebody alone: after some failures in a row, for a while. Knows no clock."""

from __future__ import annotations

from collections.abc import Callable

from sextant.errors import ModelUnavailable, SextantError

FAILURES = 5
COOL_DOWN_S = 30.0

LeftAlone = Callable[[str, float], SextantError]
"""Makes the error for whoever comes too early, of a sentence and the seconds to wait."""


def _model(sentence: str, wait_s: float) -> SextantError:
    hint = "Wait, or see what `sextant llm check` says."
    return ModelUnavailable(sentence, hint, retry_after=wait_s)


class Breaker:
    """Counts failures in a row; after too many it lets one call through per cool-down.

    That call's end closes it again. Every moment is told by whoever asks, in seconds.
    """

    __slots__ = ("_cool_down_s", "_failures", "_left_alone", "_most", "_name", "_until")

    def __init__(
        self,
        name: str,
        most: int = FAILURES,
        cool_down_s: float = COOL_DOWN_S,
        left_alone: LeftAlone = _model,
    ) -> None:
        self._name, self._most, self._cool_down_s = name, most, cool_down_s
        self._left_alone = left_alone
        self._failures = 0
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether whoever is called is left alone."""
        return self._failures >= self._most

    def enter(self, now: float) -> None:
        """Let a call through, or say when one may come."""
        if not self.is_open:
            return
        if now < self._until:
            wait_s = self._until - now
            raise self._left_alone(
                f"{self._name} failed {self._failures} times in a row"
                f" and is left alone for {wait_s:.0f} s more.",
                wait_s,
            )
        # Whoever comes now tries for all; if nobody hears how it ended, somebody tries later.
        self._until = now + self._cool_down_s

    def failed(self, now: float) -> None:
        """Count a call that did not reach anybody, or lost them."""
        self._failures += 1
        self._until = now + self._cool_down_s

    def answered(self) -> None:
        """Forget failures: somebody is there, whatever they said."""
        self._failures = 0
