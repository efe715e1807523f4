"""What is told of a run to whoever traces and counts: numbers, names and codes, never a text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from time import monotonic

from sextant.chat.context import RunContext
from sextant.spans import CONVERSATION, Facts, Span, Value
from sextant.types import RunEnd, RunFailed, RunFinished, RunReport, RunRequest

_log = logging.getLogger(__name__)
HearRun = Callable[[RunReport], None]
"""Hears what a run came to, once it is over."""


def facts_of(request: RunRequest, agent: str) -> Facts:
    """Return what is known of a run when it begins."""
    return {
        CONVERSATION: request.thread_id,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "sextant.chat.run": request.run_id,
        "sextant.chat.kind": request.kind.value,
        "sextant.chat.messages": len(request.messages),
        "sextant.chat.actions": len(request.actions),
    }


def report_of(context: RunContext, end: RunEnd, began: float) -> RunReport:
    """Return what a run came to, by a monotonic clock."""
    first = context.first_text_at
    return RunReport(
        context.request.kind.value,
        _outcome_of(end),
        end.code if isinstance(end, RunFailed) else "",
        monotonic() - began,
        None if first is None else first - began,
        context.usage,
        len(context.request.messages),
        len(context.request.actions),
    )


def tell_run(
    report: RunReport, context: RunContext, span: Span, listeners: Sequence[HearRun]
) -> None:
    """Note what a run came to on its span and in the log, and let listeners hear of it."""
    facts: dict[str, Value] = {
        "sextant.chat.outcome": report.outcome,
        "gen_ai.usage.input_tokens": report.usage.read,
        "gen_ai.usage.output_tokens": report.usage.written,
    }
    if report.first_text_seconds is not None:
        facts["sextant.chat.first_text_ms"] = round(1000 * report.first_text_seconds, 3)
    span.note(facts)
    _log_run(report, context)
    if report.code:
        span.fail(report.code)
    for hear in listeners:
        hear(report)


def _log_run(report: RunReport, context: RunContext) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    fields: dict[str, Value] = {
        "threadId": context.thread_id,
        "runId": context.run_id,
        "agent": context.agent,
        "kind": report.kind,
        "outcome": report.outcome,
        "code": report.code,
        "messages": report.messages,
        "actions": report.actions,
        "latencyMs": round(1000 * report.seconds, 3),
        "tokensRead": report.usage.read,
        "tokensWritten": report.usage.written,
    }
    _log.info("copilot_run", extra={"fields": fields})


def _outcome_of(end: RunEnd) -> str:
    if isinstance(end, RunFailed):
        return "failed"
    return "finished" if isinstance(end, RunFinished) else "stopped"
