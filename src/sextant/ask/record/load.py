"""From the JSON of a saved answer back to the answer. Strict: a doubtful file is no answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sextant.ask.record.fields import FORMAT
from sextant.errors import InvalidInput, TooLarge
from sextant.text.codec.decode import compared, item, loads, members, shaped
from sextant.types import Answer, Step, Trace

MOST = 8_000_000
"""Characters that a saved answer has at most; one of the line's own is far below."""

_HINT = "Save the answer anew with `sextant ask … --save answer.json`."


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer that was read, the digest that it was saved with, and its name if that is other."""

    answer: Answer
    digest: str
    name: str = ""


def read(text: str) -> Saved:
    """Return the answer that a file's text holds."""
    if len(text) > MOST:
        raise TooLarge(f"A saved answer has at most {MOST:,} characters.", _HINT)
    with _as_invalid_answer():
        return _saved(loads(text))


def answer_of(value: object) -> Answer:
    """Return the answer that plain JSON values stand for."""
    with _as_invalid_answer():
        return _saved(value).answer


@contextmanager
def _as_invalid_answer() -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"This is no saved answer: {error.message}.", _HINT) from None


def _saved(value: object) -> Saved:
    if isinstance(value, Mapping) and value.get("format", FORMAT) != FORMAT:
        raise InvalidInput(
            f"its format is {str(value['format'])[:40]!r}, and {FORMAT} is read", _HINT
        )
    value, state = _without_state(value)
    given = members(value, "", {"format": int, **compared(Answer), "digest": str, "timing": list})
    item(int, given["format"], "format")
    own = {name: given[name] for name in compared(Answer)}
    answer = shaped(Answer, own)
    if state is not None and state != answer.state.value:
        raise InvalidInput("its state is not what the rest of it says", _HINT)
    trace = replace(answer.trace, steps=_timed(answer.trace, given["timing"]))
    digest = item(str, given["digest"], "digest")
    if not digest:
        raise InvalidInput("its digest is empty", _HINT)
    return Saved(replace(answer, trace=trace), digest)


def _without_state(value: object) -> tuple[object, object]:
    """Return a saved answer without its state, which follows from the rest, and the state."""
    if not isinstance(value, Mapping) or "state" not in value:
        return value, None
    return {name: own for name, own in value.items() if name != "state"}, value["state"] or ""


def _timed(trace: Trace, timing: object) -> tuple[Step, ...]:
    """Return the steps with the time that each took."""
    if not isinstance(timing, list) or len(timing) != len(trace.steps):
        raise InvalidInput(f"timing is no list of {len(trace.steps)} steps", _HINT)
    timed = []
    for at, (step, took) in enumerate(zip(trace.steps, timing, strict=True)):
        place = f"timing[{at}]"
        own = members(took, place, {"step": str, "milliseconds": float})
        if own["step"] != step.name:
            raise InvalidInput(f"{place} is not about {step.name[:40]!r}", _HINT)
        milliseconds = item(float, own["milliseconds"], f"{place}.milliseconds")
        timed.append(replace(step, milliseconds=milliseconds))
    return tuple(timed)
