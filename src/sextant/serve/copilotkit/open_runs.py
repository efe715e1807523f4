"""How a thread is given whose last run did not end: as a failure, or as a message that says so."""

from __future__ import annotations

from sextant.types import ChatMessage, RunFailed, Speaker, TextMessage, ThreadState

_NOT_ENDED = "The last run of this thread did not end."
_HINT = "Send the message again, unless another server is still at it."


def open_run_failure(thread: ThreadState) -> RunFailed | None:
    """Return the failure of a run that did not end; what waits for a person is no failure."""
    if not thread.open_run or thread.interrupts:
        return None
    return RunFailed("run_not_ended", _NOT_ENDED, _HINT)


def messages_with_failure(thread: ThreadState) -> tuple[ChatMessage, ...]:
    """Return the messages of a thread, with the failure for clients that load nothing else."""
    if not open_run_failure(thread):
        return thread.messages
    own = TextMessage(f"not-ended-{thread.open_run}", Speaker.ASSISTANT, f"{_NOT_ENDED} {_HINT}")
    return (*thread.messages, own)
