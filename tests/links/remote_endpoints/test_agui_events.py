"""Whatever an agent sends as events of AG-UI, the reader makes events of it, or a PeerError."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import PeerError
from sextant.links.remote_endpoints.agui.events import RunReader
from sextant.links.remote_endpoints.agui.sse import EventData
from sextant.types import RemoteRun, Speaker, TextMessage

_KINDS = (
    *("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK"),
    *("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT"),
    *("MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED"),
    *("CUSTOM", "RUN_FINISHED", "RUN_ERROR", "RUN_STARTED", "ODD"),
)
_FIELDS = (
    *("messageId", "delta", "toolCallId", "toolCallName", "parentMessageId", "content", "messages"),
    *("snapshot", "stepName", "name", "value", "outcome", "threadId", "runId", "message"),
)
_LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "t", "r", "m1"])
_NAMES = ("role", "id", "toolCalls", "function", "op", "path", "type", "interrupts", "text")
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)
_EVENTS = st.builds(
    lambda kind, fields: {**fields, "type": kind},
    st.sampled_from(_KINDS),
    st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=5),
)
_BEGIN: dict[str, Any] = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}


@given(st.lists(_EVENTS, max_size=6))
def test_odd_events_are_read_or_refused(events: list[dict[str, Any]]) -> None:
    run = RemoteRun("notes", "t", (TextMessage("u1", Speaker.USER, "go"),))
    reader = RunReader("The agent notes", run, "r")
    with suppress(PeerError):
        for event in (_BEGIN, *events):
            list(reader.read(json.dumps(event).encode()))
        reader.check_end()


@given(st.lists(st.binary(max_size=8).filter(lambda one: b"\n" not in one), max_size=5))
def test_an_event_of_many_lines_is_joined(parts: list[bytes]) -> None:
    sent = [b": ping", *(b"data:" + one for one in parts), b"id: 7", b"", b"data: cut off"]
    expected = [b"\n".join(parts)] if parts else []
    reading = EventData()
    found = [one for line in sent for one in reading.read([line])]
    assert found == expected
