"""Calendar files (RFC 5545): each event becomes a section with its time and place."""

from __future__ import annotations

from collections.abc import Iterator

from sextant.plugins import Draft, FileFormat, Given, Kind, Reading

_SHOWN = {"DTSTART": "Begins", "DTEND": "Ends", "LOCATION": "Place", "DESCRIPTION": "Notes"}


def read_calendar(given: Given) -> list[Reading]:
    """Return the calendar as one document."""
    draft = Draft(given.limits)
    for event in _events(given.data.decode("utf-8", "replace")):
        draft.heading(event.get("SUMMARY", "Event"), 2)
        lines = [f"{name}: {event[key]}" for key, name in _SHOWN.items() if event.get(key)]
        draft.add(Kind.TEXT, "\n".join(lines))
    return [Reading(draft.text, tuple(draft.blocks), source_type="calendar")]


def _events(text: str) -> Iterator[dict[str, str]]:
    """Yield the fields of each event; a line that starts with a blank goes on from the last."""
    event: dict[str, str] = {}
    for line in text.replace("\r\n", "\n").replace("\n ", "").split("\n"):
        name, _, value = line.partition(":")
        key = name.partition(";")[0].upper()
        if key == "BEGIN":
            event = {}
        elif key == "END" and value.strip() == "VEVENT":
            yield event
        else:
            event[key] = value.strip()


CALENDAR = FileFormat(read_calendar, endings=("ics",), media_types=("text/calendar",))
