"""Lists that come item by item: each item in its turn, then its pieces, then what was deferred."""

from __future__ import annotations

from typing import Any

from sextant.serve.graphql.incremental.selection import Deferred, Parts, Selection, Stream
from sextant.serve.graphql.incremental.values import Value
from sextant.text.codec.json_bytes import written


def fill(selected: Parts | Deferred, value: Value) -> dict[str, Any]:
    """Return what is selected of a value at once; lists that are streamed begin empty."""
    filled = {field.key: _picked(field.inner, value[field.name]) for field in selected.fields}
    if isinstance(selected, Parts):
        filled |= {stream.key: [] for stream in selected.streams}
    return filled


def label_of(marked: Stream | Deferred) -> bytes:
    """Return how a patch names what it belongs to, if the client gave it a name."""
    return b',"label":%b' % written(marked.label) if marked.label else b""


def _picked(selection: Selection | None, value: Any) -> Any:
    if selection is None or value is None:
        return value
    if isinstance(value, list):
        return [_picked(selection, one) for one in value]
    return fill(selection[value["__typename"]], value)


class StreamedList:
    """One list of a response. An item that is not whole yet, but has to be, holds up the others."""

    def __init__(self, root: str, stream: Stream, patches: list[bytes]) -> None:
        self._path = written([root, stream.key])[:-1]
        self._label = label_of(stream)
        self._selection: Selection = stream.inner or {}
        self._patches = patches
        self._items: dict[int, _Item] = {}
        self._waiting: list[_Item] = []
        self._count = 0

    def begin(self, value: Value) -> None:
        """Add an item, which may not be whole yet."""
        parts = self._selection[value["__typename"]]
        item = _Item(value, parts, b"%b,%d" % (self._path, self._count))
        self._count += 1
        self._items[id(value)] = item
        self._waiting.append(item)
        self._send_ready()

    def flush(self, value: Value) -> None:
        """Send the pieces of an item that came since the last time."""
        item = self._items[id(value)]
        if item.is_sent:
            item.send_pieces(self._patches)

    def end(self, value: Value) -> None:
        """Send what is left of an item, which is whole now."""
        item = self._items.pop(id(value))
        item.is_whole = True
        if item.is_sent:
            item.send_rest(self._patches)
        else:
            self._send_ready()

    def _send_ready(self) -> None:
        while self._waiting and self._waiting[0].is_ready:
            item = self._waiting.pop(0)
            item.is_sent = True
            data = written(fill(item.parts, item.value))
            self._patches.append(b'{"items":[%b],"path":%b]%b}' % (data, item.path, self._label))
            item.send_at_once(self._patches)
            if item.is_whole:
                item.send_rest(self._patches)


class _Item:
    """One item of a list."""

    __slots__ = ("_sent", "_tails", "is_sent", "is_whole", "parts", "path", "value")

    def __init__(self, value: Value, parts: Parts, path: bytes) -> None:
        self.value, self.parts, self.path = value, parts, path
        self.is_sent = self.is_whole = False
        self._sent = 0
        self._tails = [
            (stream.name, b',"path":%b,%b,' % (path, written(stream.key)), label_of(stream))
            for stream in parts.streams
        ]

    @property
    def is_ready(self) -> bool:
        """Whether all is known that comes at once."""
        return self.is_whole or not self.parts.waits

    def send_pieces(self, patches: list[bytes]) -> None:
        """Send the pieces that came since the last time, all in one patch."""
        sent = self._sent
        for name, tail, label in self._tails:
            pieces: list[str] = self.value[name]
            self._sent = len(pieces)
            if pieces[sent:]:
                told = written(pieces[sent:])
                patches.append(b'{"items":%b%b%d]%b}' % (told, tail, sent, label))

    def send_at_once(self, patches: list[bytes]) -> None:
        """Send what was deferred and is known all the same."""
        self._send_deferred(patches, waits=False)

    def send_rest(self, patches: list[bytes]) -> None:
        """Send the last pieces, and what waited for the end."""
        self.send_pieces(patches)
        self._send_deferred(patches, waits=True)

    def _send_deferred(self, patches: list[bytes], *, waits: bool) -> None:
        for deferred in self.parts.deferred:
            if deferred.waits is waits:
                data = written(fill(deferred, self.value))
                patches.append(b'{"data":%b,"path":%b]%b}' % (data, self.path, label_of(deferred)))
