"""What changed between two states, as a JSON Patch (RFC 6902). Knows no agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sextant.types import Json

Operation = Mapping[str, Json]


def state_patch(old: Json, new: Json) -> list[Operation] | None:
    """Return what makes the new state of the old one; None where only the whole state does."""
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return None
    operations = list(_of_object(old, new, ""))
    return None if any(_is_refused(str(one["path"])) for one in operations) else operations


def _changes(old: Json, new: Json, path: str) -> Iterator[Operation]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _of_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_list(old, new, path)
    elif type(old) is not type(new) or old != new:  # True is 1 in Python, and not in JSON
        yield {"op": "replace", "path": path, "value": new}


def _of_object(old: Mapping[str, Json], new: Mapping[str, Json], path: str) -> Iterator[Operation]:
    for name in old:
        if name not in new:
            yield {"op": "remove", "path": f"{path}/{_escaped(name)}"}
    for name, value in new.items():
        place = f"{path}/{_escaped(name)}"
        if name in old:
            yield from _changes(old[name], value, place)
        else:
            yield {"op": "add", "path": place, "value": value}


def _of_list(old: Sequence[Json], new: Sequence[Json], path: str) -> Iterator[Operation]:
    """Compare item by item: what agents do with lists is to append to them and to empty them."""
    for index in range(len(old) - 1, len(new) - 1, -1):
        yield {"op": "remove", "path": f"{path}/{index}"}
    for index, value in enumerate(new):
        place = f"{path}/{index}"
        if index < len(old):
            yield from _changes(old[index], value, place)
        else:
            yield {"op": "add", "path": place, "value": value}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _is_refused(path: str) -> bool:
    """Whether fast-json-patch, by which the clients apply patches, would not touch such a path."""
    return "/__proto__/" in f"{path}/" or "/constructor/prototype/" in f"{path}/"
